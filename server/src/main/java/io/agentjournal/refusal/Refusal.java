package io.agentjournal.refusal;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A refused call: something that the caller got wrong or has to know, never a bug. The classes
 * below are the catalogue; the facts of each are named as in errors.proto. Nothing was changed when
 * one is thrown, unless the contract of the call says how far it got.
 */
@SuppressWarnings("serial") // Exceptions are Serializable by birth; nobody serializes these.
public abstract sealed class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;
  private final transient Facts facts;

  private Refusal(Reason reason, Facts facts) {
    super(reason + facts.asText(), null, false, false);
    this.reason = reason;
    this.facts = facts;
  }

  public Reason reason() {
    return reason;
  }

  /** Facts by name; absent where they are not known. */
  public Map<String, String> facts() {
    return facts.asMap();
  }

  /** The write token is not (or no longer) the named attempt's. */
  public static final class StaleAttempt extends Refusal {
    public StaleAttempt(
        String submissionId,
        @Nullable String attemptId,
        @Nullable String currentAttemptId,
        @Nullable String currentOwner) {
      super(
          Reason.STALE_ATTEMPT,
          Facts.of(
              "submission_id",
              submissionId,
              "attempt_id",
              attemptId,
              "current_attempt_id",
              currentAttemptId,
              "current_owner",
              currentOwner));
    }
  }

  /** A stand-alone stream has seen a higher writer epoch. */
  public static final class StaleEpoch extends Refusal {
    public StaleEpoch(String streamKey, @Nullable Long writerEpoch, long currentEpoch) {
      super(
          Reason.STALE_EPOCH,
          Facts.of(
              "stream_key", streamKey, "writer_epoch", writerEpoch, "current_epoch", currentEpoch));
    }
  }

  /** The slot or submission is not in a phase from which this is possible. */
  public static final class IllegalPhase extends Refusal {
    public IllegalPhase(String phase, String wanted) {
      super(Reason.ILLEGAL_PHASE, Facts.of("phase", phase, "wanted", wanted));
    }
  }

  /** The turn is frozen. */
  public static final class TurnCommitted extends Refusal {
    public TurnCommitted(String turnId, @Nullable String committedLeafId) {
      super(
          Reason.TURN_COMMITTED, Facts.of("turn_id", turnId, "committed_leaf_id", committedLeafId));
    }
  }

  /** An earlier turn of the submission had this id. */
  public static final class TurnUsed extends Refusal {
    public TurnUsed(String turnId, String currentTurnId) {
      super(Reason.TURN_USED, Facts.of("turn_id", turnId, "current_turn_id", currentTurnId));
    }
  }

  /** The stream takes no more segments. */
  public static final class StreamEnded extends Refusal {
    public StreamEnded(
        String streamKey, String state, long nextIndex, @Nullable String finishReason) {
      super(
          Reason.STREAM_ENDED,
          Facts.of(
              "stream_key",
              streamKey,
              "state",
              state,
              "next_index",
              nextIndex,
              "finish_reason",
              finishReason));
    }
  }

  /** The key belonged to a stream that was deleted. */
  public static final class StreamDeleted extends Refusal {
    public StreamDeleted(String streamKey) {
      super(Reason.STREAM_DELETED, Facts.of("stream_key", streamKey));
    }
  }

  /** The slot of an unsettled submission names the stream. */
  public static final class StreamInUse extends Refusal {
    public StreamInUse(String streamKey, String submissionId) {
      super(Reason.STREAM_IN_USE, Facts.of("stream_key", streamKey, "submission_id", submissionId));
    }
  }

  /** An attempt was named as the writer of a stand-alone stream. */
  public static final class StreamNotBound extends Refusal {
    public StreamNotBound(String streamKey) {
      super(Reason.STREAM_NOT_BOUND, Facts.of("stream_key", streamKey));
    }
  }

  /** The stream does not hold exactly the segments that its writer expects. */
  public static final class SegmentsMissing extends Refusal {
    public SegmentsMissing(String streamKey, long expectedNextIndex, long nextIndex) {
      super(
          Reason.SEGMENTS_MISSING,
          Facts.of(
              "stream_key",
              streamKey,
              "expected_next_index",
              expectedNextIndex,
              "next_index",
              nextIndex));
    }
  }

  /** Somebody holds the submission under a living lease. */
  public static final class LeaseHeld extends Refusal {
    public LeaseHeld(
        String submissionId,
        String owner,
        String attemptId,
        Instant expiresAt,
        Duration remaining) {
      super(
          Reason.LEASE_HELD,
          Facts.of(
              "submission_id",
              submissionId,
              "owner",
              owner,
              "attempt_id",
              attemptId,
              "expires_at",
              expiresAt,
              "remaining_ms",
              remaining));
    }
  }

  /** The submission is settled, otherwise than the caller asks. */
  public static final class AlreadySettled extends Refusal {
    public AlreadySettled(String submissionId, String outcome, Instant settledAt) {
      super(
          Reason.ALREADY_SETTLED,
          Facts.of("submission_id", submissionId, "outcome", outcome, "settled_at", settledAt));
    }
  }

  /** Another submission of the session runs, or comes first. */
  public static final class SessionBusy extends Refusal {
    public SessionBusy(String sessionKey, @Nullable String activeSubmissionId) {
      super(
          Reason.SESSION_BUSY,
          Facts.of("session_key", sessionKey, "active_submission_id", activeSubmissionId));
    }
  }

  /** The session is being deleted. */
  public static final class SessionDeleting extends Refusal {
    public SessionDeleting(String sessionKey) {
      super(Reason.SESSION_DELETING, Facts.of("session_key", sessionKey));
    }
  }

  /** The submission has had all its attempts. */
  public static final class AttemptsSpent extends Refusal {
    public AttemptsSpent(int attempts, int maxAttempts) {
      super(Reason.BUDGET_SPENT, Facts.of("attempts", attempts, "max_attempts", maxAttempts));
    }
  }

  /** The submission has had all its time. */
  public static final class TimeSpent extends Refusal {
    public TimeSpent(Duration timeout, Instant deadline) {
      super(Reason.BUDGET_SPENT, Facts.of("timeout_ms", timeout, "deadline", deadline));
    }
  }

  /** An attempt id is used once per submission, ever. */
  public static final class AttemptUsed extends Refusal {
    public AttemptUsed(String submissionId, String attemptId) {
      super(Reason.ATTEMPT_USED, Facts.of("submission_id", submissionId, "attempt_id", attemptId));
    }
  }

  /** The submission waits for answers or for its time. */
  public static final class NotRunnable extends Refusal {
    public NotRunnable(String submissionId, @Nullable Instant notBefore) {
      super(Reason.NOT_RUNNABLE, Facts.of("submission_id", submissionId, "not_before", notBefore));
    }
  }

  /** The recorded order is not the expected one. */
  public static final class ReplayMismatch extends Refusal {
    public ReplayMismatch(long position, @Nullable String expected, @Nullable String found) {
      super(
          Reason.REPLAY_MISMATCH,
          Facts.of("position", position, "expected", expected, "found", found));
    }
  }

  /** The run is claimed by another. */
  public static final class RunClaimed extends Refusal {
    public RunClaimed(
        String runId,
        @Nullable String claimId,
        @Nullable String owner,
        @Nullable Duration remaining) {
      super(
          Reason.RUN_CLAIMED,
          Facts.of(
              "run_id", runId, "claim_id", claimId, "owner", owner, "remaining_ms", remaining));
    }
  }

  /** A claim id is used once per run, ever. */
  public static final class ClaimUsed extends Refusal {
    public ClaimUsed(String runId, String claimId) {
      super(Reason.CLAIM_USED, Facts.of("run_id", runId, "claim_id", claimId));
    }
  }

  /** The session's leaf is not the expected one. */
  public static final class LeafMoved extends Refusal {
    public LeafMoved(String sessionKey, String expectedLeafId, String leafId) {
      super(
          Reason.LEAF_MOVED,
          Facts.of(
              "session_key", sessionKey, "expected_leaf_id", expectedLeafId, "leaf_id", leafId));
    }
  }

  /** The slot's revision is not the expected one. */
  public static final class RevisionMoved extends Refusal {
    public RevisionMoved(long expectedRevision, long revision) {
      super(
          Reason.REVISION_MOVED,
          Facts.of("expected_revision", expectedRevision, "revision", revision));
    }
  }

  /** Another payload is stored at this index. */
  public static final class SegmentConflict extends Refusal {
    public SegmentConflict(String streamKey, long index, long nextIndex) {
      super(
          Reason.SEGMENT_CONFLICT,
          Facts.of("stream_key", streamKey, "index", index, "next_index", nextIndex));
    }
  }

  /** Another content is stored under this entry id. */
  public static final class EntryConflict extends Refusal {
    public EntryConflict(String entryId) {
      super(Reason.ENTRY_CONFLICT, Facts.of("entry_id", entryId));
    }
  }

  /** Another submission was admitted under this id. */
  public static final class SubmissionConflict extends Refusal {
    public SubmissionConflict(String submissionId) {
      super(Reason.SUBMISSION_CONFLICT, Facts.of("submission_id", submissionId));
    }
  }

  /** Another result is recorded for this call. */
  public static final class ToolResultConflict extends Refusal {
    public ToolResultConflict(String turnId, String toolCallId) {
      super(Reason.TOOL_RESULT_CONFLICT, Facts.of("turn_id", turnId, "tool_call_id", toolCallId));
    }
  }

  /** The stream key belongs to something else. */
  public static final class StreamConflict extends Refusal {
    public StreamConflict(String streamKey) {
      super(Reason.STREAM_CONFLICT, Facts.of("stream_key", streamKey));
    }
  }

  /** Another payload is recorded for this event. */
  public static final class EventConflict extends Refusal {
    public EventConflict(String runId, long seq, String kind) {
      super(Reason.EVENT_CONFLICT, Facts.of("run_id", runId, "seq", seq, "kind", kind));
    }
  }

  /** The wait has another question, or another answer. */
  public static final class WaitConflict extends Refusal {
    public WaitConflict(String submissionId, String waitId) {
      super(Reason.WAIT_CONFLICT, Facts.of("submission_id", submissionId, "wait_id", waitId));
    }
  }

  /** The index is above the stream's next index. */
  public static final class SegmentGap extends Refusal {
    public SegmentGap(String streamKey, long expectedIndex, long index) {
      super(
          Reason.SEGMENT_GAP,
          Facts.of("stream_key", streamKey, "expected_index", expectedIndex, "index", index));
    }
  }

  /** A read starts beyond what exists. */
  public static final class StartPastEnd extends Refusal {
    public StartPastEnd(String streamKey, long startIndex, long nextIndex) {
      super(
          Reason.START_PAST_END,
          Facts.of("stream_key", streamKey, "start_index", startIndex, "next_index", nextIndex));
    }
  }

  public static final class StreamNotFound extends Refusal {
    public StreamNotFound(String streamKey) {
      super(Reason.STREAM_NOT_FOUND, Facts.of("stream_key", streamKey));
    }
  }

  public static final class SubmissionNotFound extends Refusal {
    public SubmissionNotFound(String submissionId) {
      super(Reason.SUBMISSION_NOT_FOUND, Facts.of("submission_id", submissionId));
    }
  }

  public static final class SessionNotFound extends Refusal {
    public SessionNotFound(String sessionKey) {
      super(Reason.SESSION_NOT_FOUND, Facts.of("session_key", sessionKey));
    }
  }

  public static final class EntryNotFound extends Refusal {
    public EntryNotFound(String entryId) {
      super(Reason.ENTRY_NOT_FOUND, Facts.of("entry_id", entryId));
    }
  }

  public static final class ParentNotFound extends Refusal {
    public ParentNotFound(String parentId) {
      super(Reason.PARENT_NOT_FOUND, Facts.of("parent_id", parentId));
    }
  }

  public static final class TurnNotFound extends Refusal {
    public TurnNotFound(String turnId) {
      super(Reason.TURN_NOT_FOUND, Facts.of("turn_id", turnId));
    }
  }

  public static final class ToolCallNotFound extends Refusal {
    public ToolCallNotFound(String turnId, String toolCallId) {
      super(Reason.TOOL_CALL_NOT_FOUND, Facts.of("turn_id", turnId, "tool_call_id", toolCallId));
    }
  }

  public static final class ReceiptNotFound extends Refusal {
    public ReceiptNotFound(String submissionId) {
      super(Reason.RECEIPT_NOT_FOUND, Facts.of("submission_id", submissionId));
    }
  }

  public static final class RunNotFound extends Refusal {
    public RunNotFound(String runId) {
      super(Reason.RUN_NOT_FOUND, Facts.of("run_id", runId));
    }
  }

  /** A limit is exceeded; size and limit in the field's unit. */
  public static final class TooLarge extends Refusal {
    public TooLarge(String field, long size, long limit) {
      super(Reason.TOO_LARGE, Facts.of("field", field, "size", size, "limit", limit));
    }

    private TooLarge(String field, long limit) {
      super(Reason.TOO_LARGE, Facts.of("field", field, "limit", limit));
    }

    /** Compressed, and not inflated any further to see how large it is. */
    public static TooLarge inflated(String field, long limit) {
      return new TooLarge(field, limit);
    }
  }

  /** The server has as much under way as it may have. */
  public static final class Overloaded extends Refusal {
    public Overloaded(String limit) {
      super(Reason.OVERLOADED, Facts.of("limit", limit));
    }
  }

  /** The server is going away; nothing of this call is lost or half done. */
  public static final class ServerDraining extends Refusal {
    public ServerDraining() {
      super(Reason.SERVER_DRAINING, Facts.of());
    }
  }

  /** Stored bytes are not what was written. */
  public static final class CorruptExtent extends Refusal {
    public CorruptExtent(String streamKey, long index) {
      super(Reason.CORRUPT_EXTENT, Facts.of("stream_key", streamKey, "index", index));
    }
  }

  /** A field's value is not what it may be. */
  public static final class InvalidField extends Refusal {
    private InvalidField(Facts facts) {
      super(Reason.INVALID_FIELD, facts);
    }

    /** Missing although it is required, or present although it may not be. */
    public static InvalidField because(String field, String problem) {
      return new InvalidField(Facts.of("field", field, "problem", problem));
    }

    /** Size and limit in bytes. */
    public static InvalidField ofSize(String field, long size, long limit) {
      return new InvalidField(Facts.of("field", field, "size", size, "limit", limit));
    }

    public static InvalidField ofValue(String field, String value, String problem) {
      return new InvalidField(Facts.of("field", field, "value", value, "problem", problem));
    }

    /** Not JSON from this byte on. */
    public static InvalidField ofJson(String field, long offset, String problem) {
      return new InvalidField(Facts.of("field", field, "offset", offset, "problem", problem));
    }
  }
}

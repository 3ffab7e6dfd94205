package io.agentjournal.refusal;

import java.util.List;

/**
 * The reasons of {@code agentjournal.v1.ErrorReason}, without its prefix, and the kind of status
 * that each is sent with, and the names of its facts. What a reason means is said in errors.proto.
 */
public enum Reason {
  STALE_ATTEMPT(
      Kind.FAILED_PRECONDITION,
      "submission_id",
      "attempt_id",
      "current_attempt_id",
      "current_owner"),
  STALE_EPOCH(Kind.FAILED_PRECONDITION, "stream_key", "writer_epoch", "current_epoch"),
  ILLEGAL_PHASE(Kind.FAILED_PRECONDITION, "phase", "wanted"),
  TURN_COMMITTED(Kind.FAILED_PRECONDITION, "turn_id", "committed_leaf_id"),
  TURN_USED(Kind.FAILED_PRECONDITION, "turn_id", "current_turn_id"),
  STREAM_ENDED(Kind.FAILED_PRECONDITION, "stream_key", "state", "next_index", "finish_reason"),
  STREAM_DELETED(Kind.FAILED_PRECONDITION, "stream_key"),
  STREAM_IN_USE(Kind.FAILED_PRECONDITION, "stream_key", "submission_id"),
  STREAM_NOT_BOUND(Kind.FAILED_PRECONDITION, "stream_key"),
  SEGMENTS_MISSING(Kind.FAILED_PRECONDITION, "stream_key", "expected_next_index", "next_index"),
  LEASE_HELD(
      Kind.FAILED_PRECONDITION,
      "submission_id",
      "owner",
      "attempt_id",
      "expires_at",
      "remaining_ms"),
  ALREADY_SETTLED(Kind.FAILED_PRECONDITION, "submission_id", "outcome", "settled_at"),
  SESSION_BUSY(Kind.FAILED_PRECONDITION, "session_key", "active_submission_id"),
  SESSION_DELETING(Kind.FAILED_PRECONDITION, "session_key"),
  BUDGET_SPENT(Kind.FAILED_PRECONDITION, "attempts", "max_attempts", "timeout_ms", "deadline"),
  ATTEMPT_USED(Kind.FAILED_PRECONDITION, "submission_id", "attempt_id"),
  NOT_RUNNABLE(Kind.FAILED_PRECONDITION, "submission_id", "not_before"),
  REPLAY_MISMATCH(Kind.FAILED_PRECONDITION, "position", "expected", "found"),
  RUN_CLAIMED(Kind.FAILED_PRECONDITION, "run_id", "claim_id", "owner", "remaining_ms"),
  CLAIM_USED(Kind.FAILED_PRECONDITION, "run_id", "claim_id"),
  LEAF_MOVED(Kind.ABORTED, "session_key", "expected_leaf_id", "leaf_id"),
  REVISION_MOVED(Kind.ABORTED, "expected_revision", "revision"),
  SEGMENT_CONFLICT(Kind.ALREADY_EXISTS, "stream_key", "index", "next_index"),
  ENTRY_CONFLICT(Kind.ALREADY_EXISTS, "entry_id"),
  SUBMISSION_CONFLICT(Kind.ALREADY_EXISTS, "submission_id"),
  TOOL_RESULT_CONFLICT(Kind.ALREADY_EXISTS, "turn_id", "tool_call_id"),
  STREAM_CONFLICT(Kind.ALREADY_EXISTS, "stream_key"),
  EVENT_CONFLICT(Kind.ALREADY_EXISTS, "run_id", "seq", "kind"),
  WAIT_CONFLICT(Kind.ALREADY_EXISTS, "submission_id", "wait_id"),
  SEGMENT_GAP(Kind.OUT_OF_RANGE, "stream_key", "expected_index", "index"),
  START_PAST_END(Kind.OUT_OF_RANGE, "stream_key", "start_index", "next_index"),
  STREAM_NOT_FOUND(Kind.NOT_FOUND, "stream_key"),
  SUBMISSION_NOT_FOUND(Kind.NOT_FOUND, "submission_id"),
  SESSION_NOT_FOUND(Kind.NOT_FOUND, "session_key"),
  ENTRY_NOT_FOUND(Kind.NOT_FOUND, "entry_id"),
  PARENT_NOT_FOUND(Kind.NOT_FOUND, "parent_id"),
  TURN_NOT_FOUND(Kind.NOT_FOUND, "turn_id"),
  TOOL_CALL_NOT_FOUND(Kind.NOT_FOUND, "turn_id", "tool_call_id"),
  RECEIPT_NOT_FOUND(Kind.NOT_FOUND, "submission_id"),
  RUN_NOT_FOUND(Kind.NOT_FOUND, "run_id"),
  INVALID_FIELD(Kind.INVALID_ARGUMENT, "field", "size", "limit", "value", "offset", "problem"),
  TOO_LARGE(Kind.INVALID_ARGUMENT, "field", "size", "limit"),
  OVERLOADED(Kind.RESOURCE_EXHAUSTED, "limit"),
  DATABASE_UNAVAILABLE(Kind.UNAVAILABLE, "outcome"),
  SERVER_DRAINING(Kind.UNAVAILABLE),
  CORRUPT_EXTENT(Kind.DATA_LOSS, "stream_key", "index"),
  INTERNAL(Kind.INTERNAL, "reference");

  /** What a caller does about it: the gRPC status code of the same name. */
  public enum Kind {
    FAILED_PRECONDITION,
    ABORTED,
    ALREADY_EXISTS,
    OUT_OF_RANGE,
    NOT_FOUND,
    INVALID_ARGUMENT,
    RESOURCE_EXHAUSTED,
    UNAVAILABLE,
    DATA_LOSS,
    INTERNAL
  }

  private final Kind kind;

  @SuppressWarnings("ImmutableEnumChecker") // List.of makes it immutable.
  private final List<String> factNames;

  Reason(Kind kind, String... factNames) {
    this.kind = kind;
    this.factNames = List.of(factNames);
  }

  public Kind kind() {
    return kind;
  }

  /** Of the facts that may come with it; one that is not known, or does not apply, is left out. */
  public List<String> factNames() {
    return factNames;
  }
}

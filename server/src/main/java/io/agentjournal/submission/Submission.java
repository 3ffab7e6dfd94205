package io.agentjournal.submission;

import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.payload.StoredPayload;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A submission as it was read.
 *
 * @param lease while RUNNING
 * @param inputAppliedAt null: not applied
 * @param notBefore null: at once
 * @param isRunnable it is not RUNNING and may be claimed: its time has come, and so have its
 *     answers and its place in the session
 * @param recovery null: not asked for
 * @param abort null: not asked for
 * @param hasWaits there are or were waits; false: none was ever asked or answered
 * @param waits of its last suspension, and answers that came before their questions
 * @param settled null: it is not
 */
public record Submission(
    SubmissionId id,
    SessionKey session,
    SubmissionKind kind,
    String queue,
    SubmissionStatus status,
    long sequence,
    StoredPayload input,
    Budget budget,
    @Nullable Lease lease,
    Instant admittedAt,
    @Nullable Instant inputAppliedAt,
    @Nullable Instant notBefore,
    boolean isRunnable,
    @Nullable RecoveryRequest recovery,
    @Nullable AbortRequest abort,
    boolean hasWaits,
    List<Wait> waits,
    @Nullable Settled settled,
    @Nullable String traceparent) {
  /** Numbers and times of a message. */
  private static final long ABOUT_BYTES = 500;

  public Submission {
    waits = List.copyOf(waits);
  }

  /**
   * What it may use, and has used.
   *
   * @param startedAt the first claim; null: it was not claimed yet, as is deadlineAt
   * @param isTimeSpent the deadline has passed, by the database's clock
   */
  public record Budget(
      int attemptCount,
      int maxAttempts,
      Duration timeout,
      @Nullable Instant startedAt,
      @Nullable Instant deadlineAt,
      boolean isTimeSpent) {

    public boolean areAttemptsSpent() {
      return attemptCount >= maxAttempts;
    }
  }

  /**
   * Somebody wants another attempt to take over.
   *
   * @param isDue its time has come, by the database's clock
   * @param isCounted whether the take-over counts as an attempt
   */
  public record RecoveryRequest(
      Instant requestedAt, Instant notBefore, boolean isDue, boolean isCounted, String reason) {}

  public record AbortRequest(Instant requestedAt, String reason) {}

  /**
   * How it ended.
   *
   * @param attemptId who settled it; null: the reconciler or an abort did
   */
  public record Settled(
      Outcome outcome,
      StoredPayload result,
      @Nullable String failureCode,
      @Nullable String failureMessage,
      @Nullable String attemptId,
      Instant settledAt,
      List<String> unresolvedToolCallIds) {
    public Settled {
      unresolvedToolCallIds = List.copyOf(unresolvedToolCallIds);
    }
  }

  /** It runs, and another attempt may take it over now. */
  public boolean isRecoverable() {
    return lease != null && (recovery == null ? lease.isExpired() : recovery.isDue());
  }

  /** How many attempts a take-over would count as: none when its attempt or owner asked for it. */
  public int nextAttemptCost() {
    return recovery != null && recovery.isDue() && !recovery.isCounted() ? 0 : 1;
  }

  public boolean isHeldBy(@Nullable String attemptId) {
    return lease != null && lease.attemptId().equals(attemptId);
  }

  Submission withWaits(List<Wait> found) {
    return new Submission(
        id,
        session,
        kind,
        queue,
        status,
        sequence,
        input,
        budget,
        lease,
        admittedAt,
        inputAppliedAt,
        notBefore,
        isRunnable,
        recovery,
        abort,
        hasWaits,
        found,
        settled,
        traceparent);
  }

  /** About how large an answer with it is, rather more than less. */
  long messageBytes() {
    long bytes = ABOUT_BYTES + inlineBytes(input);
    bytes += utf8Bytes(id.id(), session.key(), queue, traceparent);
    if (lease != null) {
      bytes += utf8Bytes(lease.attemptId(), lease.owner());
    }
    for (Wait wait : waits) {
      bytes += ABOUT_BYTES + wait.sizeBytes() + utf8Bytes(wait.waitId(), wait.answeredBy());
    }
    bytes += utf8Bytes(abort == null ? null : abort.reason());
    bytes += utf8Bytes(recovery == null ? null : recovery.reason());
    if (settled != null) {
      bytes += inlineBytes(settled.result()) + utf8Bytes(settled.failureMessage());
      bytes += utf8Bytes(settled.unresolvedToolCallIds().toArray(new String[0]));
    }
    return bytes;
  }

  private static long inlineBytes(StoredPayload stored) {
    return stored.payload() == null ? 0 : stored.sizeBytes();
  }

  /** At most: a char takes three bytes, and two that are one code point take four. */
  private static long utf8Bytes(@Nullable String... texts) {
    long bytes = 0;
    for (String text : texts) {
      bytes += text == null ? 0 : 3L * text.length();
    }
    return bytes;
  }
}

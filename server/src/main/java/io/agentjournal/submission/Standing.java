package io.agentjournal.submission;

import com.google.protobuf.ByteString;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal;
import io.agentjournal.refusal.Refusal.AlreadySettled;
import io.agentjournal.refusal.Refusal.StaleAttempt;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where a submission stands, read under a lock on its row: what decides whether somebody may write.
 * The rest of it is in {@link Submission}.
 *
 * @param attemptId who holds it; while RUNNING only, as is the owner
 * @param inputAppliedBy the attempt that put the input into the transcript; null: none did
 * @param outcome when SETTLED, as are settledByAttemptId (null then: no attempt did it) and
 *     settledAt
 */
public record Standing(
    SubmissionId id,
    SessionKey session,
    SubmissionKind kind,
    SubmissionStatus status,
    @Nullable String attemptId,
    @Nullable String owner,
    @Nullable String inputAppliedBy,
    boolean isAbortRequested,
    @Nullable Outcome outcome,
    @Nullable String settledByAttemptId,
    @Nullable ByteString settlementSha256,
    @Nullable Instant settledAt) {

  public boolean isHeldBy(AttemptId attempt) {
    return status == SubmissionStatus.RUNNING && attempt.id().equals(attemptId);
  }

  public boolean isInputApplied() {
    return inputAppliedBy != null;
  }

  /**
   * The fence: passes only the attempt under which the submission runs.
   *
   * @throws AlreadySettled it runs no more
   * @throws StaleAttempt it runs under another attempt, or under none
   */
  public Standing requireHeldBy(AttemptId attempt) {
    Refusal refusal = refusalOf(attempt);
    if (refusal != null) {
      throw refusal;
    }
    return this;
  }

  /** What a write by the attempt would get; null: it may write. */
  @Nullable Refusal refusalOf(AttemptId attempt) {
    if (outcome != null && settledAt != null) {
      return new AlreadySettled(id.id(), outcome.name(), settledAt);
    }
    return isHeldBy(attempt) ? null : new StaleAttempt(id.id(), attempt.id(), attemptId, owner);
  }

  /**
   * Passes a submission that may still change.
   *
   * @throws AlreadySettled telling how and when
   */
  public Standing requireUnsettled() {
    if (outcome != null && settledAt != null) {
      throw new AlreadySettled(id.id(), outcome.name(), settledAt);
    }
    return this;
  }

  /**
   * Whether the attempt has settled it in just this way: then a call that asks for it is a repeat.
   */
  public boolean wasSettledBy(AttemptId attempt, Settlement settlement) {
    return attempt.id().equals(settledByAttemptId)
        && settlement.outcome() == outcome
        && settlement.sha256().equals(settlementSha256);
  }
}

package io.agentjournal.submission;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.AlreadySettled;
import io.agentjournal.refusal.Refusal.StaleAttempt;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where a submission stands, read under a lock on its row: what decides whether somebody may write.
 * The rest of it is in {@link Submission}.
 *
 * @param attemptId who holds it; while RUNNING only, as is the owner
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
    boolean isInputApplied,
    boolean isAbortRequested,
    @Nullable Outcome outcome,
    @Nullable String settledByAttemptId,
    @Nullable Instant settledAt) {

  public boolean isHeldBy(AttemptId attempt) {
    return status == SubmissionStatus.RUNNING && attempt.id().equals(attemptId);
  }

  /**
   * The fence: passes only the attempt under which the submission runs.
   *
   * @throws AlreadySettled it runs no more
   * @throws StaleAttempt it runs under another attempt, or under none
   */
  public Standing requireHeldBy(AttemptId attempt) {
    requireUnsettled();
    if (!isHeldBy(attempt)) {
      throw new StaleAttempt(id.id(), attempt.id(), attemptId, owner);
    }
    return this;
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
}

package io.agentjournal.recovery;

import io.agentjournal.key.SubmissionId;
import io.agentjournal.plan.RecoveryPlan;
import io.agentjournal.refusal.Refusal.AlreadySettled;
import io.agentjournal.refusal.Refusal.IllegalPhase;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.slot.TurnJournal;
import io.agentjournal.submission.Claimed;
import io.agentjournal.submission.Lease;
import io.agentjournal.submission.Submission;
import io.agentjournal.submission.SubmissionStatus;
import io.agentjournal.submission.SubmissionStores;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Plans and take-overs, inside a caller's transaction. Stateless and thread-safe. */
public final class RecoveryStore {
  private final SubmissionStores submissions;
  private final SlotRows slots;

  public RecoveryStore(SubmissionStores submissions, SlotRows slots) {
    this.submissions = submissions;
    this.slots = slots;
  }

  /**
   * PlanRecovery. Changes nothing.
   *
   * @param attemptId who asks; null: somebody else than the holder
   * @throws SubmissionNotFound there is no such submission
   */
  Planned plan(Connection connection, SubmissionId id, @Nullable String attemptId)
      throws SQLException {
    Submission submission = submissions.submissions().require(connection, id);
    TurnJournal journal = slots.journal(connection, id);
    return new Planned(
        submission,
        journal,
        submissions.plans().plan(connection, submission, journal, attemptId),
        submissions.plans().planWithoutLease(connection, submission, journal));
  }

  /**
   * Empty: it may not be taken over any more, or is held by another attempt than when it was found.
   */
  Optional<Recoverable> recoverable(Connection connection, Overdue found) throws SQLException {
    Submission submission = submissions.submissions().find(connection, found.submission());
    if (submission == null
        || !submission.isRecoverable()
        || !submission.isHeldBy(found.attemptId())) {
      return Optional.empty();
    }
    TurnJournal journal = slots.journal(connection, found.submission());
    RecoveryPlan plan = submissions.plans().plan(connection, submission, journal, null);
    return Optional.of(new Recoverable(submission, plan));
  }

  /**
   * TakeOver. What the attempt and owner hold already is a repeat.
   *
   * @throws AlreadySettled it runs no more
   * @throws IllegalPhase it does not run
   */
  Claimed takeOver(Connection connection, TakeOver call) throws SQLException {
    refuseUnderLivingLease(connection, call);
    Submission found = submissions.submissions().lock(connection, call.attempt().submission());
    boolean repeat = isHeld(found, call);
    if (!repeat) {
      requireRunning(found);
      submissions.takeover().take(connection, found, call.successor(), call.right());
    }
    return submissions.claimed().read(connection, !repeat, call.attempt());
  }

  /** As it stands now, without the lock: that is soon enough for a refusal. */
  private void refuseUnderLivingLease(Connection connection, TakeOver call) throws SQLException {
    Submission seen = submissions.submissions().require(connection, call.attempt().submission());
    Lease held = seen.lease();
    if (held != null && !isHeld(seen, call) && !seen.isRecoverable()) {
      submissions
          .takeover()
          .requireRecoverable(connection, seen, held, call.successor(), call.right());
    }
  }

  private static boolean isHeld(Submission found, TakeOver call) {
    Lease held = found.lease();
    return held != null
        && held.attemptId().equals(call.attempt().id())
        && held.owner().equals(call.lease().owner());
  }

  private static void requireRunning(Submission found) {
    Submission.Settled settled = found.settled();
    if (settled != null) {
      throw new AlreadySettled(found.id().id(), settled.outcome().name(), settled.settledAt());
    }
    if (found.lease() == null) {
      throw new IllegalPhase(found.status().name(), SubmissionStatus.RUNNING.name());
    }
  }
}

package io.agentjournal.submission;

import io.agentjournal.key.AttemptId;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.slot.TurnJournal;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Reads what an attempt got hold of, in the transaction in which it did. Stateless and thread-safe.
 */
public final class ClaimedStore {
  private final SubmissionStore submissions;
  private final SlotRows slots;
  private final PlanStore plans;

  ClaimedStore(SubmissionStore submissions, SlotRows slots, PlanStore plans) {
    this.submissions = submissions;
    this.slots = slots;
    this.plans = plans;
  }

  /** Submission, slot and plan for the attempt that holds it. */
  public Claimed read(Connection connection, boolean applied, AttemptId attempt)
      throws SQLException {
    Submission submission = submissions.require(connection, attempt.submission());
    TurnJournal journal = slots.journal(connection, attempt.submission());
    return new Claimed(
        applied, submission, journal, plans.plan(connection, submission, journal, attempt.id()));
  }
}

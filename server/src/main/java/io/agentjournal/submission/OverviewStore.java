package io.agentjournal.submission;

import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.slot.TurnJournal;
import java.sql.Connection;
import java.sql.SQLException;

/** Reads what submissions are doing, inside a caller's transaction. Stateless and thread-safe. */
public final class OverviewStore {
  private final SubmissionStore submissions;
  private final SlotRows slots;

  OverviewStore(SubmissionStore submissions, SlotRows slots) {
    this.submissions = submissions;
    this.slots = slots;
  }

  /**
   * The submission and its slot.
   *
   * @throws SubmissionNotFound there is no such submission
   */
  public Overview read(Connection connection, SubmissionId id) throws SQLException {
    Submission submission = submissions.require(connection, id);
    TurnJournal journal = slots.journal(connection, id);
    return new Overview(submission, journal);
  }
}

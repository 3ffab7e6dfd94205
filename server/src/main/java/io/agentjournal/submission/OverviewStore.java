package io.agentjournal.submission;

import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import io.agentjournal.segment.StoredStream;
import io.agentjournal.segment.StreamRows;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.slot.TurnJournal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Reads what submissions are doing, inside a caller's transaction. Stateless and thread-safe. */
final class OverviewStore {
  private final SubmissionRows rows;
  private final SubmissionStore submissions;
  private final AttemptRows attempts;
  private final SlotRows slots;
  private final StreamRows streams = new StreamRows();

  OverviewStore(
      SubmissionRows rows, SubmissionStore submissions, AttemptRows attempts, SlotRows slots) {
    this.rows = rows;
    this.submissions = submissions;
    this.attempts = attempts;
    this.slots = slots;
  }

  /**
   * The submission, its slot and the slot's stream. To be called in a snapshot.
   *
   * @throws SubmissionNotFound there is no such submission
   */
  Overview read(Connection connection, SubmissionId id) throws SQLException {
    Submission submission = submissions.require(connection, id);
    TurnJournal journal = slots.journal(connection, id);
    StreamKey key = journal == null ? null : journal.slot().streamKey();
    StoredStream stream = key == null ? null : streams.find(connection, key);
    return new Overview(submission, journal, stream);
  }

  /**
   * The markers of its attempts after a number, oldest first.
   *
   * @throws SubmissionNotFound there is no such submission
   */
  List<AttemptMarker> attempts(Connection connection, SubmissionId id, int afterNumber, int limit)
      throws SQLException {
    rows.sessionOf(connection, id);
    return attempts.list(connection, id, afterNumber, limit);
  }
}

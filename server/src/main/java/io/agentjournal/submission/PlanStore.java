package io.agentjournal.submission;

import io.agentjournal.key.StreamKey;
import io.agentjournal.plan.RecoveryPlan;
import io.agentjournal.plan.RecoveryPlanner;
import io.agentjournal.segment.Head;
import io.agentjournal.segment.StreamHeads;
import io.agentjournal.slot.TurnJournal;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads what a plan depends on, and plans. Changes nothing. Stateless and thread-safe. */
public final class PlanStore {
  private final StreamHeads streams;

  public PlanStore(StreamHeads streams) {
    this.streams = streams;
  }

  /**
   * What the one who asks would do now.
   *
   * @param journal the submission's slot; null: no turn was begun
   * @param attemptId who asks; null: somebody who does not hold it
   */
  public RecoveryPlan plan(
      Connection connection,
      Submission submission,
      @Nullable TurnJournal journal,
      @Nullable String attemptId)
      throws SQLException {
    Head head = head(connection, journal);
    return RecoveryPlanner.plan(Situations.of(submission, journal, head, attemptId, false));
  }

  /** What somebody would do if the lease ended now. */
  public RecoveryPlan planWithoutLease(
      Connection connection, Submission submission, @Nullable TurnJournal journal)
      throws SQLException {
    Head head = head(connection, journal);
    return RecoveryPlanner.plan(Situations.of(submission, journal, head, null, true));
  }

  private @Nullable Head head(Connection connection, @Nullable TurnJournal journal)
      throws SQLException {
    StreamKey key = journal == null ? null : journal.slot().streamKey();
    return key == null ? null : streams.find(connection, key);
  }
}

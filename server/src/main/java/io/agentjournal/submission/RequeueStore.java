package io.agentjournal.submission;

import io.agentjournal.event.Event;
import io.agentjournal.event.EventRows;
import io.agentjournal.key.AttemptId;
import io.agentjournal.refusal.Refusal.AlreadySettled;
import io.agentjournal.refusal.Refusal.IllegalPhase;
import io.agentjournal.refusal.Refusal.StaleAttempt;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import io.agentjournal.transcript.SessionRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Gives submissions back before anything was done about them, inside a caller's transaction. The
 * attempt is not counted.
 */
final class RequeueStore {
  private static final String REQUEUE =
      """
      UPDATE submissions
         SET status = 'QUEUED', attempt_id = NULL, owner = NULL, lease_ms = NULL, lease_expires_at = NULL,
             attempt_count = GREATEST(attempt_count - 1, 0),
             not_before = now() + NULLIF(?, 0) * interval '1 millisecond',
             runnable_at = now() + ? * interval '1 millisecond',
             recovery_requested_at = NULL, recovery_not_before = NULL, recovery_reason = NULL,
             recovery_is_counted = NULL
       WHERE namespace = ? AND submission_id = ? AND status = 'RUNNING' AND attempt_id = ?
      """;

  private final SessionRows sessions;
  private final SubmissionRows rows;
  private final AttemptRows attempts;
  private final SettlementStore settlements;
  private final EventRows events = new EventRows();

  RequeueStore(
      SessionRows sessions,
      SubmissionRows rows,
      AttemptRows attempts,
      SettlementStore settlements) {
    this.sessions = sessions;
    this.rows = rows;
    this.attempts = attempts;
    this.settlements = settlements;
  }

  /**
   * Back to QUEUED, where it stood; or, if an abort is requested, settled with it.
   *
   * @return false: the attempt gave it back already, for this reason
   * @throws SubmissionNotFound there is no such submission
   * @throws AlreadySettled it runs no more
   * @throws StaleAttempt it runs under another attempt, or under none
   * @throws IllegalPhase the input is applied
   */
  boolean requeue(
      Connection connection, AttemptId attempt, AttemptEnd end, Duration delay, String reason)
      throws SQLException {
    sessions.lockIfPresent(connection, rows.sessionOf(connection, attempt.submission()));
    Standing submission = rows.lockForUpdate(connection, attempt.submission());
    AttemptMarker marker = attempts.find(connection, attempt);
    if (marker != null && marker.end() == end && reason.equals(marker.reason())) {
      return false;
    }
    submission.requireHeldBy(attempt);
    if (submission.isInputApplied()) {
      throw new IllegalPhase("input_applied", "input_not_applied");
    }
    if (submission.isAbortRequested()) {
      Settlement aborted = Settlement.without(Outcome.ABORTED, AbortStore.ABORTED, reason);
      settlements.settleLocked(connection, submission, null, aborted, null);
      return true;
    }
    write(connection, attempt, delay);
    attempts.end(connection, attempt, end, reason, null);
    events.append(
        connection, attempt.submission(), Event.StatusChanged.to(SubmissionStatus.QUEUED.name()));
    return true;
  }

  private static void write(Connection connection, AttemptId attempt, Duration delay)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(REQUEUE)) {
      statement.setLong(1, delay.toMillis());
      statement.setLong(2, delay.toMillis());
      statement.setString(3, attempt.namespace().name());
      statement.setString(4, attempt.submission().id());
      statement.setString(5, attempt.id());
      if (statement.executeUpdate() != 1) {
        throw new IllegalStateException("a submission changed hands under its lock");
      }
    }
  }
}

package io.agentjournal.submission;

import io.agentjournal.database.Columns;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.SubmissionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks for submissions of one queue that somebody may claim, without locking anything: whoever
 * wants one of them has to judge it under its lock. Spent and aborted ones are left out: the server
 * itself settles them. Stateless and thread-safe.
 */
final class WorkRows {
  private static final String QUEUED =
      """
        FROM submissions
       WHERE namespace = ? AND queue = ? AND runnable_at <= now()
         AND (status = 'WAITING' OR (attempt_count < max_attempts AND COALESCE(deadline_at > now(), true)))
      """;

  private static final String RECOVERABLE =
      """
        FROM submissions
       WHERE namespace = ? AND queue = ? AND status = 'RUNNING'
         AND (   (recovery_requested_at IS NULL AND lease_expires_at <= now())
              OR (recovery_requested_at IS NOT NULL AND recovery_not_before <= now()))
         AND abort_requested_at IS NULL AND deadline_at > now()
         AND attempt_count + CASE WHEN recovery_is_counted IS FALSE THEN 0 ELSE 1 END
             <= max_attempts
      """;

  private static final String FIND_QUEUED =
      "SELECT submission_id, runnable_at AS since"
          + "\n"
          + QUEUED
          + " ORDER BY runnable_at LIMIT ?";

  private static final String FIND_RECOVERABLE =
      "SELECT submission_id, COALESCE(recovery_not_before, lease_expires_at) AS since\n"
          + RECOVERABLE
          + " ORDER BY since LIMIT ?";

  private static final String COUNT =
      "SELECT (SELECT count(*) FROM (SELECT 1\n"
          + QUEUED
          + " LIMIT ?) AS queued), (SELECT count(*) FROM (SELECT 1\n"
          + RECOVERABLE
          + " LIMIT ?) AS recoverable)";

  /** A submission that may be claimed since a time. */
  record Found(SubmissionId submission, Instant since) {}

  /** How many may be claimed, up to a limit. */
  record Counts(int queued, int recoverable) {}

  /** The oldest of those that wait to be claimed. */
  List<Found> queued(Connection connection, Namespace namespace, String queue, int limit)
      throws SQLException {
    return find(connection, FIND_QUEUED, namespace, queue, limit);
  }

  /** The longest overdue of those that may be taken over. */
  List<Found> recoverable(Connection connection, Namespace namespace, String queue, int limit)
      throws SQLException {
    return find(connection, FIND_RECOVERABLE, namespace, queue, limit);
  }

  Counts count(Connection connection, Namespace namespace, String queue, int limit)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
      statement.setString(1, namespace.name());
      statement.setString(2, queue);
      statement.setInt(3, limit);
      statement.setString(4, namespace.name());
      statement.setString(5, queue);
      statement.setInt(6, limit);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new Counts(row.getInt(1), row.getInt(2));
      }
    }
  }

  private static List<Found> find(
      Connection connection, String statementText, Namespace namespace, String queue, int limit)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setString(1, namespace.name());
      statement.setString(2, queue);
      statement.setInt(3, limit);
      try (ResultSet row = statement.executeQuery()) {
        List<Found> found = new ArrayList<>();
        while (row.next()) {
          found.add(
              new Found(
                  new SubmissionId(namespace, row.getString("submission_id")),
                  Columns.instant(row, "since")));
        }
        return found;
      }
    }
  }
}

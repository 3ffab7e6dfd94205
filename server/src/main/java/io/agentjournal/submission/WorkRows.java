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
 * Looks for submissions of some queues that somebody may claim, without locking anything: whoever
 * wants one of them has to judge it under its lock. Spent and aborted ones are left out: the server
 * itself settles them. Stateless and thread-safe.
 */
final class WorkRows {
  private static final String QUEUED =
      """
        FROM submissions
       WHERE namespace = wanted.namespace AND queue = wanted.queue AND runnable_at <= now()
         AND (status = 'WAITING' OR (attempt_count < max_attempts AND COALESCE(deadline_at > now(), true)))
      """;

  private static final String RECOVERABLE =
      """
        FROM submissions
       WHERE namespace = wanted.namespace AND queue = wanted.queue AND status = 'RUNNING'
         AND (   (recovery_requested_at IS NULL AND lease_expires_at <= now())
              OR (recovery_requested_at IS NOT NULL AND recovery_not_before <= now()))
         AND abort_requested_at IS NULL AND deadline_at > now()
         AND attempt_count + CASE WHEN recovery_is_counted IS FALSE THEN 0 ELSE 1 END
             <= max_attempts
      """;

  private static final String WANTED =
      "  FROM unnest(?::text[], ?::text[], ?::int[]) AS wanted (namespace, queue, most)\n";

  private static final String FIND_QUEUED =
      "SELECT found.submission_id, found.since\n"
          + WANTED
          + " CROSS JOIN LATERAL (SELECT submission_id, runnable_at AS since\n"
          + QUEUED
          + " ORDER BY runnable_at LIMIT wanted.most) AS found ORDER BY found.since";

  private static final String FIND_RECOVERABLE =
      "SELECT found.submission_id, found.since\n"
          + WANTED
          + " CROSS JOIN LATERAL (SELECT submission_id, COALESCE(recovery_not_before, lease_expires_at) AS since\n"
          + RECOVERABLE
          + " ORDER BY since LIMIT wanted.most) AS found ORDER BY found.since";

  private static final String COUNT =
      "SELECT (SELECT count(*) FROM (SELECT 1\n"
          + QUEUED
          + " LIMIT wanted.most) AS queued), (SELECT count(*) FROM (SELECT 1\n"
          + RECOVERABLE
          + " LIMIT wanted.most) AS recoverable)\n"
          + " FROM unnest(?::text[], ?::text[], ?::int[]) WITH ORDINALITY AS wanted (namespace, queue, most, place)\n"
          + "ORDER BY wanted.place";

  /** A submission that may be claimed since a time. */
  record Found(SubmissionId submission, Instant since) {}

  /** How many may be claimed, up to a limit. */
  record Counts(int queued, int recoverable) {}

  /**
   * A queue to look at.
   *
   * @param most at most so many of each kind are of interest
   */
  record Wanted(Namespace namespace, String queue, int most) {}

  /** The oldest of those that wait to be claimed, over all queues of one namespace. */
  List<Found> queued(Connection connection, Namespace namespace, List<String> queues, int most)
      throws SQLException {
    return find(connection, FIND_QUEUED, namespace, queues, most);
  }

  /** The longest overdue of those that may be taken over, over all queues of one namespace. */
  List<Found> recoverable(Connection connection, Namespace namespace, List<String> queues, int most)
      throws SQLException {
    return find(connection, FIND_RECOVERABLE, namespace, queues, most);
  }

  /** One for each queue, in their order. */
  List<Counts> count(Connection connection, List<Wanted> wanted) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
      bind(statement, wanted);
      List<Counts> counts = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          counts.add(new Counts(row.getInt(1), row.getInt(2)));
        }
      }
      return counts;
    }
  }

  private static List<Found> find(
      Connection connection,
      String statementText,
      Namespace namespace,
      List<String> queues,
      int most)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      bind(statement, queues.stream().map(queue -> new Wanted(namespace, queue, most)).toList());
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

  private static void bind(PreparedStatement statement, List<Wanted> wanted) throws SQLException {
    Connection connection = statement.getConnection();
    statement.setArray(
        1,
        connection.createArrayOf(
            "text", wanted.stream().map(each -> each.namespace().name()).toArray()));
    statement.setArray(
        2, connection.createArrayOf("text", wanted.stream().map(Wanted::queue).toArray()));
    statement.setArray(
        3, connection.createArrayOf("int4", wanted.stream().map(Wanted::most).toArray()));
  }
}

package io.agentjournal.recovery;

import io.agentjournal.database.Columns;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.SubmissionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds submissions that may be taken over: their lease has ended, or their requested recovery is
 * due, which stands in the lease's place. Changes nothing. Stateless and thread-safe.
 */
final class OverdueRows {
  static final String LIST =
      """
      SELECT namespace, submission_id, queue, attempt_id, overdue_since
        FROM (SELECT namespace, submission_id, queue, attempt_id,
                     COALESCE(recovery_not_before, lease_expires_at) AS overdue_since
                FROM submissions
               WHERE status = 'RUNNING' AND namespace = ?
                 AND (   (recovery_requested_at IS NULL AND lease_expires_at <= now())
                      OR (recovery_requested_at IS NOT NULL AND recovery_not_before <= now()))
                 AND (cardinality(?::text[]) = 0 OR queue = ANY (?))) AS overdue
       WHERE (overdue_since, submission_id) > (?, ?)
       ORDER BY overdue_since, submission_id
       LIMIT ?
      """;

  static final String LIST_RECENT =
      """
      SELECT namespace, submission_id, queue, attempt_id,
             COALESCE(recovery_not_before, lease_expires_at) AS overdue_since
        FROM submissions
       WHERE status = 'RUNNING'
         AND (   (recovery_requested_at IS NULL
                  AND lease_expires_at <= now() AND lease_expires_at > now() - ? * interval '1 millisecond')
              OR (recovery_requested_at IS NOT NULL
                  AND recovery_not_before <= now() AND recovery_not_before > now() - ? * interval '1 millisecond'))
       ORDER BY overdue_since
      """;

  /**
   * The first so many after one, longest overdue first.
   *
   * @param queues empty: all
   * @param after null: from the start
   */
  List<Overdue> list(
      Connection connection,
      Namespace namespace,
      List<String> queues,
      @Nullable Position after,
      int limit)
      throws SQLException {
    Position start = after == null ? new Position(Instant.EPOCH, "") : after;
    try (PreparedStatement statement = connection.prepareStatement(LIST)) {
      statement.setString(1, namespace.name());
      statement.setArray(2, connection.createArrayOf("text", queues.toArray()));
      statement.setArray(3, connection.createArrayOf("text", queues.toArray()));
      statement.setObject(4, start.since().atOffset(ZoneOffset.UTC));
      statement.setString(5, start.submissionId());
      statement.setInt(6, limit);
      return read(statement);
    }
  }

  /** Those of all namespaces that became overdue within the last so many milliseconds. */
  List<Overdue> listRecent(Connection connection, long millis) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LIST_RECENT)) {
      statement.setLong(1, millis);
      statement.setLong(2, millis);
      return read(statement);
    }
  }

  private static List<Overdue> read(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      List<Overdue> found = new ArrayList<>();
      while (row.next()) {
        found.add(
            new Overdue(
                new SubmissionId(
                    new Namespace(row.getString("namespace")), row.getString("submission_id")),
                row.getString("queue"),
                row.getString("attempt_id"),
                Columns.instant(row, "overdue_since")));
      }
      return found;
    }
  }

  /** A place in the list. */
  record Position(Instant since, String submissionId) {
    static Position of(Overdue overdue) {
      return new Position(overdue.since(), overdue.submission().id());
    }

    /** An id has no blank before it: the time's text has none. */
    String asText() {
      return since + " " + submissionId;
    }

    static Position ofText(String text) {
      int blank = text.indexOf(' ');
      return new Position(Instant.parse(text.substring(0, blank)), text.substring(blank + 1));
    }
  }
}

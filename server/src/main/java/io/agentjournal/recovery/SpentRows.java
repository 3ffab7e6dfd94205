package io.agentjournal.recovery;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.SubmissionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds submissions that nobody holds any more and that the server itself may have to settle. The
 * plan decides whether it has to. Changes nothing. Stateless and thread-safe.
 */
final class SpentRows {
  static final String LIST =
      """
      (SELECT namespace, submission_id
         FROM submissions AS s
        WHERE status = 'RUNNING'
          AND (   (recovery_requested_at IS NULL AND lease_expires_at <= now())
               OR (recovery_requested_at IS NOT NULL AND recovery_not_before <= now()))
          AND (   abort_requested_at IS NOT NULL
               OR deadline_at <= now()
               OR attempt_count >= max_attempts
               OR EXISTS (SELECT 1
                            FROM turn_journals AS j
                           WHERE j.namespace = s.namespace AND j.submission_id = s.submission_id
                             AND j.phase = 'committed' AND j.final))
        LIMIT ?)
      UNION ALL
      (SELECT namespace, submission_id
         FROM submissions
        WHERE status = 'QUEUED' AND deadline_at IS NOT NULL
          AND (deadline_at <= now() OR attempt_count >= max_attempts)
        LIMIT ?)
      """;

  /** So many at most of those that run, and of those that were given back. */
  List<SubmissionId> list(Connection connection, int limit) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LIST)) {
      statement.setInt(1, limit);
      statement.setInt(2, limit);
      try (ResultSet row = statement.executeQuery()) {
        List<SubmissionId> found = new ArrayList<>();
        while (row.next()) {
          found.add(new SubmissionId(new Namespace(row.getString(1)), row.getString(2)));
        }
        return found;
      }
    }
  }
}

package io.agentjournal.session;

import io.agentjournal.database.Columns;
import io.agentjournal.key.KeyPrefix;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.SessionKey;
import io.agentjournal.refusal.Refusal.SessionNotFound;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Reads sessions, inside a caller's transaction. Stateless and thread-safe. */
final class SessionStore {
  private static final String COLUMNS =
      """
      SELECT session_key, leaf_id, entry_count, size_bytes, created_at, updated_at, deleting_since,
             (SELECT q.submission_id
                FROM session_queue q
               WHERE q.namespace = s.namespace AND q.session_key = s.session_key
               ORDER BY q.sequence
               LIMIT 1) AS active_submission_id
        FROM sessions s
       WHERE namespace = ?\
      """;

  private static final String GET = COLUMNS + " AND session_key = ?";

  private static final String LIST =
      COLUMNS
          + " AND session_key > ? AND session_key >= ? AND session_key < ? ORDER BY session_key LIMIT ?";

  private static final String LIST_DELETING =
      COLUMNS + " AND session_key > ? AND deleting_since IS NOT NULL ORDER BY session_key LIMIT ?";

  /**
   * One session.
   *
   * @throws SessionNotFound there is no such session
   */
  Session get(Connection connection, SessionKey key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(GET)) {
      statement.setString(1, key.namespace().name());
      statement.setString(2, key.key());
      List<Session> found = sessions(statement, key.namespace());
      if (found.isEmpty()) {
        throw new SessionNotFound(key.key());
      }
      return found.get(0);
    }
  }

  /** In the order of keys, those after one. */
  List<Session> list(
      Connection connection, Namespace namespace, KeyPrefix prefix, String afterKey, int limit)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LIST)) {
      statement.setString(1, namespace.name());
      statement.setString(2, afterKey);
      statement.setString(3, prefix.text());
      statement.setString(4, prefix.end());
      statement.setInt(5, limit);
      return sessions(statement, namespace);
    }
  }

  /** Those that are marked as being deleted, in the order of keys, those after one. */
  List<Session> deleting(Connection connection, Namespace namespace, String afterKey, int limit)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LIST_DELETING)) {
      statement.setString(1, namespace.name());
      statement.setString(2, afterKey);
      statement.setInt(3, limit);
      return sessions(statement, namespace);
    }
  }

  private static List<Session> sessions(PreparedStatement statement, Namespace namespace)
      throws SQLException {
    List<Session> sessions = new ArrayList<>();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        sessions.add(
            new Session(
                new SessionKey(namespace, row.getString("session_key")),
                row.getString("leaf_id"),
                row.getLong("entry_count"),
                row.getLong("size_bytes"),
                row.getString("active_submission_id"),
                Columns.instant(row, "created_at"),
                Columns.instant(row, "updated_at"),
                Columns.instantOrNull(row, "deleting_since")));
      }
    }
    return sessions;
  }
}

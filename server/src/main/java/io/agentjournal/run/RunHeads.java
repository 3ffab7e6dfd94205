package io.agentjournal.run;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.RunId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of runs as appends use them: many at a time. Stateless and thread-safe. */
final class RunHeads {
  static final String LOCK =
      """
      SELECT run_id, next_position, claim_id, owner, lease_expires_at,
             (extract(epoch FROM lease_expires_at - now()) * 1000000)::bigint
        FROM runs
       WHERE namespace = ? AND run_id = ?
         FOR NO KEY UPDATE
      """;

  static final String LOCK_FREE =
      """
      SELECT run_id, next_position, claim_id, owner, lease_expires_at,
             (extract(epoch FROM lease_expires_at - now()) * 1000000)::bigint
        FROM runs
       WHERE namespace = ? AND run_id = ANY (?)
         FOR NO KEY UPDATE SKIP LOCKED
      """;

  /** Ordered: of two servers that create the same runs one waits for the other, not both. */
  private static final String CREATE =
      """
      INSERT INTO runs (namespace, run_id, status)
      SELECT ?, run_id, 'UNOPENED'
        FROM unnest(?::text[]) AS created (run_id)
       ORDER BY run_id
      ON CONFLICT (namespace, run_id) DO NOTHING
      RETURNING run_id, next_position
      """;

  static final String ADVANCE =
      """
      UPDATE runs
         SET next_position = next_position + ?, updated_at = now()
       WHERE namespace = ? AND run_id = ANY (?)
      """;

  /** Locks the run, waiting for it; null: there is no row. */
  @Nullable RunHead lock(Connection connection, RunId id) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
      statement.setString(1, id.namespace().name());
      statement.setString(2, id.id());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? head(id, row) : null;
      }
    }
  }

  /** Locks those that are there and that nobody else has locked. Does not wait. */
  Map<RunId, RunHead> lockFree(Connection connection, Namespace namespace, Collection<RunId> ids)
      throws SQLException {
    Map<RunId, RunHead> locked = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(LOCK_FREE)) {
      statement.setString(1, namespace.name());
      statement.setArray(2, connection.createArrayOf("text", names(ids)));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          RunId id = new RunId(namespace, row.getString(1));
          locked.put(id, head(id, row));
        }
      }
    }
    return locked;
  }

  /** Makes rows, not opened, for those that have none; what it made is locked. */
  Map<RunId, RunHead> create(Connection connection, Namespace namespace, Collection<RunId> ids)
      throws SQLException {
    Map<RunId, RunHead> created = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(CREATE)) {
      statement.setString(1, namespace.name());
      statement.setArray(2, connection.createArrayOf("text", names(ids)));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          RunId id = new RunId(namespace, row.getString(1));
          created.put(id, new RunHead(new Fence(id, null, null), row.getLong(2)));
        }
      }
    }
    return created;
  }

  /** Uses up positions of locked runs, as many of each. */
  void advance(Connection connection, Namespace namespace, Collection<RunId> ids, int by)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ADVANCE)) {
      statement.setInt(1, by);
      statement.setString(2, namespace.name());
      statement.setArray(3, connection.createArrayOf("text", names(ids)));
      statement.executeUpdate();
    }
  }

  private static RunHead head(RunId id, ResultSet row) throws SQLException {
    return new RunHead(RunRows.fence(id, row, 3), row.getLong(2));
  }

  private static String[] names(Collection<RunId> ids) {
    return ids.stream().map(RunId::id).toArray(String[]::new);
  }
}

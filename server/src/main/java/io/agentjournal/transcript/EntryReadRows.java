package io.agentjournal.transcript;

import com.google.protobuf.UnsafeByteOperations;
import io.agentjournal.database.Columns;
import io.agentjournal.key.SessionKey;
import io.agentjournal.payload.Payload;
import io.agentjournal.payload.PayloadCase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a session's tree in pages, inside a caller's transaction. What is read is immutable: pages
 * of different transactions fit together. Stateless and thread-safe.
 */
public final class EntryReadRows {
  private static final String COLUMNS =
      """
      SELECT e.entry_id, e.entry_number, e.parent_id, e.depth, e.kind, octet_length(e.payload) AS payload_size,
             e.submission_id, e.turn_id, e.tool_call_id, e.created_at
      """;

  private static final String FIND =
      COLUMNS + " FROM entries e WHERE e.namespace = ? AND e.session_key = ? AND e.entry_id = ?";

  /**
   * Up by the ancestors that each entry knows: a jump where it does not lead above the depth, else
   * the parent.
   */
  private static final String ANCESTOR =
      """
      WITH RECURSIVE climb AS (
        SELECT entry_id, parent_id, depth, jump_id, jump_depth
          FROM entries
         WHERE namespace = ? AND session_key = ? AND entry_id = ?
        UNION ALL
        SELECT e.entry_id, e.parent_id, e.depth, e.jump_id, e.jump_depth
          FROM climb c
          JOIN entries e ON e.namespace = ? AND e.session_key = ?
                        AND e.entry_id = CASE WHEN c.jump_depth >= ? THEN c.jump_id ELSE c.parent_id END
         WHERE c.depth > ?)
      SELECT entry_id
        FROM climb
       WHERE depth = ?
      """;

  private static final String PATH =
      "WITH RECURSIVE path AS ("
          + COLUMNS
          + """
              FROM entries e
             WHERE e.namespace = ? AND e.session_key = ? AND e.entry_id = ?
            UNION ALL
          """
          + COLUMNS
          + """
              FROM path p
              JOIN entries e ON e.namespace = ? AND e.session_key = ? AND e.entry_id = p.parent_id
             WHERE p.depth > ?)
            SELECT * FROM path ORDER BY depth
          """;

  private static final String IN_ORDER =
      COLUMNS
          + """
              FROM entries e
             WHERE e.namespace = ? AND e.session_key = ? AND e.entry_number > ?
             ORDER BY e.entry_number
             LIMIT ?
          """;

  private static final String PAYLOADS =
      """
      SELECT entry_id, payload_case, payload
        FROM entries
       WHERE namespace = ? AND session_key = ? AND entry_id = ANY (?)
      """;

  /** Null: the tree has no such entry. */
  public @Nullable Entry find(Connection connection, SessionKey session, String entryId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FIND)) {
      statement.setString(1, session.namespace().name());
      statement.setString(2, session.key());
      statement.setString(3, entryId);
      List<Entry> found = entries(statement);
      return found.isEmpty() ? null : found.get(0);
    }
  }

  /**
   * The ancestor of an entry at a depth, found in a number of steps that grows with the logarithm
   * of the way up; null: the entry has gone, or is not that deep.
   */
  public @Nullable String ancestor(
      Connection connection, SessionKey session, String entryId, long depth) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ANCESTOR)) {
      statement.setString(1, session.namespace().name());
      statement.setString(2, session.key());
      statement.setString(3, entryId);
      statement.setString(4, session.namespace().name());
      statement.setString(5, session.key());
      statement.setLong(6, depth);
      statement.setLong(7, depth);
      statement.setLong(8, depth);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getString(1) : null;
      }
    }
  }

  /** The entry and its ancestors down from a depth, the uppermost first; without payloads. */
  public List<Entry> path(Connection connection, SessionKey session, String entryId, long fromDepth)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(PATH)) {
      statement.setString(1, session.namespace().name());
      statement.setString(2, session.key());
      statement.setString(3, entryId);
      statement.setString(4, session.namespace().name());
      statement.setString(5, session.key());
      statement.setLong(6, fromDepth);
      return entries(statement);
    }
  }

  /** The next entries after a number in the order in which they were stored; without payloads. */
  public List<Entry> inOrder(Connection connection, SessionKey session, long afterNumber, int limit)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(IN_ORDER)) {
      statement.setString(1, session.namespace().name());
      statement.setString(2, session.key());
      statement.setLong(3, afterNumber);
      statement.setInt(4, limit);
      return entries(statement);
    }
  }

  /** The payloads of entries by their ids; of those that have gone none. */
  public Map<String, Payload> payloads(
      Connection connection, SessionKey session, List<String> entryIds) throws SQLException {
    Map<String, Payload> payloads = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(PAYLOADS)) {
      statement.setString(1, session.namespace().name());
      statement.setString(2, session.key());
      statement.setArray(3, connection.createArrayOf("text", entryIds.toArray()));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          payloads.put(
              row.getString("entry_id"),
              new Payload(
                  PayloadCase.ofCode(row.getInt("payload_case")),
                  UnsafeByteOperations.unsafeWrap(row.getBytes("payload"))));
        }
      }
    }
    return payloads;
  }

  private static List<Entry> entries(PreparedStatement statement) throws SQLException {
    List<Entry> entries = new ArrayList<>();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        entries.add(
            new Entry(
                row.getString("entry_id"),
                row.getLong("entry_number"),
                row.getString("parent_id"),
                row.getLong("depth"),
                row.getString("kind"),
                row.getInt("payload_size"),
                row.getString("submission_id"),
                row.getString("turn_id"),
                row.getString("tool_call_id"),
                Columns.instant(row, "created_at")));
      }
    }
    return entries;
  }
}

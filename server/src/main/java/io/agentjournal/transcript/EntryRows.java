package io.agentjournal.transcript;

import com.google.protobuf.UnsafeByteOperations;
import io.agentjournal.key.SessionKey;
import io.agentjournal.payload.Payload;
import io.agentjournal.payload.PayloadCase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of a session's tree. They are written under the session's lock and never changed. */
final class EntryRows {
  private static final String FIND_STORED =
      """
      SELECT entry_id, parent_id, kind, payload_case, payload, turn_id, tool_call_id
        FROM entries
       WHERE namespace = ? AND session_key = ? AND entry_id = ANY (?)
      """;

  private static final String FIND_PLACE =
      """
      SELECT entry_id, depth, jump_id, jump_depth
        FROM entries
       WHERE namespace = ? AND session_key = ? AND entry_id = ?
      """;

  private static final String INSERT =
      """
      INSERT INTO entries (namespace, session_key, entry_id, entry_number, parent_id, depth, jump_id, jump_depth,
                           kind, payload_case, payload, submission_id, turn_id, tool_call_id)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """;

  /** Those of the entries whose ids are taken. */
  Map<String, StoredEntry> findStored(Connection connection, SessionKey key, List<NewEntry> entries)
      throws SQLException {
    String[] ids = entries.stream().map(NewEntry::entryId).toArray(String[]::new);
    Map<String, StoredEntry> found = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(FIND_STORED)) {
      statement.setString(1, key.namespace().name());
      statement.setString(2, key.key());
      statement.setArray(3, connection.createArrayOf("text", ids));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          Payload payload =
              new Payload(
                  PayloadCase.ofCode(row.getInt(4)),
                  UnsafeByteOperations.unsafeWrap(row.getBytes(5)));
          StoredEntry stored =
              new StoredEntry(
                  row.getString(1),
                  row.getString(2),
                  row.getString(3),
                  payload,
                  row.getString(6),
                  row.getString(7));
          found.put(stored.entryId(), stored);
        }
      }
    }
    return found;
  }

  @Nullable Place findPlace(Connection connection, SessionKey key, String entryId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FIND_PLACE)) {
      statement.setString(1, key.namespace().name());
      statement.setString(2, key.key());
      statement.setString(3, entryId);
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? new Place(row.getString(1), row.getLong(2), row.getString(3), row.getLong(4))
            : null;
      }
    }
  }

  /** Inserts entries whose ids are free, numbered from {@code firstNumber}. */
  void insert(
      Connection connection,
      SessionKey key,
      long firstNumber,
      List<PlacedEntry> placed,
      @Nullable String submissionId,
      @Nullable String turnId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
      for (int i = 0; i < placed.size(); i++) {
        PlacedEntry next = placed.get(i);
        NewEntry entry = next.entry();
        Place place = next.place();
        statement.setString(1, key.namespace().name());
        statement.setString(2, key.key());
        statement.setString(3, entry.entryId());
        statement.setLong(4, firstNumber + i);
        statement.setString(5, next.parentId());
        statement.setLong(6, place.depth());
        statement.setString(7, place.jumpId());
        statement.setLong(8, place.jumpDepth());
        statement.setString(9, entry.kind());
        statement.setInt(10, entry.payload().kind().code());
        statement.setBytes(11, entry.payload().bytes().toByteArray());
        statement.setString(12, submissionId);
        statement.setString(13, turnId);
        statement.setString(14, entry.toolCallId());
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }
}

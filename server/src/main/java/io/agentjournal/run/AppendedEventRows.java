package io.agentjournal.run;

import com.google.protobuf.ByteString;
import io.agentjournal.key.Namespace;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes events of many runs, all of them locked, at once. Stateless and thread-safe. */
final class AppendedEventRows {
  private static final String INSERT =
      """
      INSERT INTO run_events AS stored
             (namespace, run_id, seq, kind, position, version, payload_case, payload,
              iteration_index, created_at)
      SELECT ?, run_id, seq, kind, position, position, payload_case, payload,
             iteration_index, created_at
        FROM unnest(?::text[], ?::bigint[], ?::text[], ?::bigint[], ?::smallint[], ?::bytea[], ?::bigint[],
                    ?::timestamptz[])
          AS added (run_id, seq, kind, position, payload_case, payload, iteration_index, created_at)
      ON CONFLICT (namespace, run_id, seq, kind)
      """;

  private static final String INSERT_OR_REPLACE =
      INSERT
          + """
            DO UPDATE
               SET version = excluded.version, payload_case = excluded.payload_case,
                   payload = excluded.payload, iteration_index = excluded.iteration_index,
                   created_at = excluded.created_at, written_at = excluded.written_at
             WHERE stored.payload_case <> excluded.payload_case
                OR stored.payload <> excluded.payload
                OR stored.created_at <> excluded.created_at
                OR (stored.created_at IS NULL AND excluded.created_at IS NOT NULL)
            RETURNING run_id, version, position
            """;

  private static final String INSERT_IF_ABSENT =
      INSERT
          + """
            DO NOTHING
            RETURNING run_id, version, position
            """;

  private static final String IS_EQUAL =
      """
      SELECT payload_case = ? AND payload = ?
        FROM run_events
       WHERE namespace = ? AND run_id = ? AND seq = ? AND kind = ?
      """;

  private static final String TAKE_BACK =
      """
      DELETE FROM run_events
       WHERE namespace = ? AND run_id = ? AND seq = ? AND kind = ?
      """;

  /** What is not in the answer was stored already, equal. */
  List<WrittenEvent> insertOrReplace(
      Connection connection, Namespace namespace, List<PlacedEvent> events) throws SQLException {
    return insert(connection, INSERT_OR_REPLACE, namespace, events);
  }

  /** What is not in the answer was stored already, equal or not. */
  List<WrittenEvent> insertIfAbsent(
      Connection connection, Namespace namespace, List<PlacedEvent> events) throws SQLException {
    return insert(connection, INSERT_IF_ABSENT, namespace, events);
  }

  /** Whether an event that is stored has this payload. */
  boolean isEqual(Connection connection, PlacedEvent placed) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(IS_EQUAL)) {
      statement.setInt(1, placed.event().payload().kind().code());
      statement.setBytes(2, placed.event().payload().bytes().toByteArray());
      bindKey(statement, 3, placed);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  /** Removes what this transaction has inserted. */
  void takeBack(Connection connection, List<PlacedEvent> inserted) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(TAKE_BACK)) {
      for (PlacedEvent placed : inserted) {
        bindKey(statement, 1, placed);
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  private static void bindKey(PreparedStatement statement, int first, PlacedEvent placed)
      throws SQLException {
    statement.setString(first, placed.run().namespace().name());
    statement.setString(first + 1, placed.run().id());
    statement.setLong(first + 2, placed.event().key().seq());
    statement.setString(first + 3, placed.event().key().kind().word());
  }

  private static List<WrittenEvent> insert(
      Connection connection, String statementText, Namespace namespace, List<PlacedEvent> events)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setString(1, namespace.name());
      // Arrays of their own types: only those are sent as they are, and not as text.
      statement.setArray(2, texts(connection, events, placed -> placed.run().id()));
      statement.setArray(
          3, connection.createArrayOf("int8", longs(events, placed -> placed.event().key().seq())));
      statement.setArray(
          4, texts(connection, events, placed -> placed.event().key().kind().word()));
      statement.setArray(5, connection.createArrayOf("int8", longs(events, PlacedEvent::position)));
      statement.setArray(
          6,
          connection.createArrayOf(
              "int4",
              events.stream()
                  .map(placed -> placed.event().payload().kind().code())
                  .toArray(Integer[]::new)));
      statement.setArray(7, connection.createArrayOf("bytea", payloads(events)));
      statement.setArray(
          8,
          connection.createArrayOf(
              "int8", longs(events, placed -> placed.event().iterationIndex())));
      statement.setArray(9, texts(connection, events, placed -> text(placed.event().createdAt())));
      List<WrittenEvent> written = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          written.add(new WrittenEvent(row.getString(1), row.getLong(2), row.getLong(3)));
        }
      }
      return written;
    }
  }

  private static byte[][] payloads(List<PlacedEvent> events) {
    return events.stream()
        .map(placed -> placed.event().payload().bytes())
        .map(ByteString::toByteArray)
        .toArray(byte[][]::new);
  }

  private static @Nullable String text(@Nullable Object value) {
    return value == null ? null : value.toString();
  }

  private static Array texts(
      Connection connection, List<PlacedEvent> events, Function<PlacedEvent, @Nullable String> of)
      throws SQLException {
    return connection.createArrayOf("text", events.stream().map(of).toArray(String[]::new));
  }

  private static @Nullable Long[] longs(
      List<PlacedEvent> events, Function<PlacedEvent, @Nullable Long> of) {
    return events.stream().map(of).toArray(Long[]::new);
  }
}

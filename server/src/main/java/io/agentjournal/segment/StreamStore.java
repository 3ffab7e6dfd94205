package io.agentjournal.segment;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.StreamKey;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What GetStream and ListStreams ask. Thread-safe; every method blocks. */
final class StreamStore {
  static final String PAGE =
      "SELECT "
          + StreamColumns.NAMES
          + """
             FROM streams
            WHERE namespace = ? AND stream_key >= ? AND stream_key < ? AND stream_key > ?
              AND state = ANY (?)
            ORDER BY stream_key
            LIMIT ?
          """;

  static final String PAGE_OF_SUBMISSION =
      "SELECT "
          + StreamColumns.NAMES
          + """
             FROM streams
            WHERE namespace = ? AND stream_key >= ? AND stream_key < ? AND stream_key > ?
              AND state = ANY (?)
              AND submission_id = ?
            ORDER BY stream_key
            LIMIT ?
          """;

  private final Transactions transactions;
  private final StreamRows rows = new StreamRows();

  StreamStore(Transactions transactions) {
    this.transactions = transactions;
  }

  /** The stream of the key, also if it is deleted. */
  Optional<StoredStream> get(StreamKey key) {
    return transactions.readOnly(
        "get stream", connection -> Optional.ofNullable(rows.find(connection, key)));
  }

  /**
   * In the order of keys.
   *
   * @param after only keys above this one; empty: all
   */
  List<StoredStream> page(StreamSelection selection, String after, int most) {
    String submissionId = selection.submissionId();
    return transactions.readOnly(
        "list streams",
        connection -> {
          try (PreparedStatement statement =
              connection.prepareStatement(submissionId == null ? PAGE : PAGE_OF_SUBMISSION)) {
            statement.setString(1, selection.namespace().name());
            statement.setString(2, selection.keyPrefix());
            statement.setString(3, selection.prefixEnd());
            statement.setString(4, after);
            statement.setObject(
                5, selection.states().stream().map(StreamState::name).toArray(String[]::new));
            int next = 6;
            if (submissionId != null) {
              statement.setString(next++, submissionId);
            }
            statement.setInt(next, most);
            return rows(statement);
          }
        });
  }

  private static List<StoredStream> rows(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      List<StoredStream> streams = new ArrayList<>();
      while (row.next()) {
        streams.add(StreamColumns.read(row));
      }
      return streams;
    }
  }
}

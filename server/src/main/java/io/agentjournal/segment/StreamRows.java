package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Reads streams whole, but for their segments, inside a caller's transaction. Stateless and
 * thread-safe.
 */
public final class StreamRows {
  static final String FIND =
      "SELECT "
          + StreamColumns.NAMES
          + """
             FROM streams
            WHERE bucket = ? AND namespace = ? AND stream_key = ?
          """;

  /** The stream of the key, also if it is deleted; null: there never was one, or not any more. */
  public @Nullable StoredStream find(Connection connection, StreamKey key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FIND)) {
      statement.setInt(1, key.bucket());
      statement.setString(2, key.namespace().name());
      statement.setString(3, key.key());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? StreamColumns.read(row) : null;
      }
    }
  }
}

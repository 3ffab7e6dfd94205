package io.agentjournal.segment;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The rows of compact_extents, inside a caller's transaction. Stateless and thread-safe. */
final class CompactRows {
  private static final String COLUMNS =
      "first_index, segment_count, format, checksum, plain_bytes, data";

  /** From the row that holds an index on. Sizes are summed without fetching the payloads. */
  static final String PAGE =
      """
      SELECT first_index, segment_count, format, checksum, plain_bytes, data
        FROM (SELECT first_index, segment_count, format, checksum, plain_bytes, data,
                     sum(plain_bytes) OVER (ORDER BY first_index ROWS UNBOUNDED PRECEDING)
                       - plain_bytes AS bytes_before
                FROM compact_extents
               WHERE bucket = ? AND stream_id = ?
                 AND first_index >= (SELECT coalesce(max(first_index), 0)
                                       FROM compact_extents
                                      WHERE bucket = ? AND stream_id = ? AND first_index <= ?)
                 AND first_index + segment_count > ?
               ORDER BY first_index
               LIMIT ?) AS page
       WHERE bytes_before < ?
       ORDER BY first_index
      """;

  /** Those that hold any of the segments [from, to). */
  static final String STORED =
      "SELECT "
          + COLUMNS
          + """
             FROM compact_extents
            WHERE bucket = ? AND stream_id = ? AND first_index < ?
              AND first_index >= (SELECT coalesce(max(first_index), 0)
                                    FROM compact_extents
                                   WHERE bucket = ? AND stream_id = ? AND first_index <= ?)
              AND first_index + segment_count > ?
            ORDER BY first_index
          """;

  static final String END =
      """
      SELECT first_index + segment_count
        FROM compact_extents
       WHERE bucket = ? AND stream_id = ?
       ORDER BY first_index DESC
       LIMIT 1
      """;

  private static final String INSERT =
      """
      INSERT INTO compact_extents (bucket, stream_id, first_index, segment_count, format, checksum, plain_bytes, data)
      SELECT ?, ?, added.first_index, added.segment_count, added.format, added.checksum, added.plain_bytes, added.data
        FROM unnest(?::bigint[], ?::int[], ?::smallint[], ?::int[], ?::int[], ?::bytea[])
             AS added (first_index, segment_count, format, checksum, plain_bytes, data)
      """;

  /** From the row that holds the index on, up to about so many bytes of segments. */
  List<StoredExtent> page(
      Connection connection, int bucket, long streamId, long index, int mostRows, int mostBytes)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(PAGE)) {
      statement.setInt(1, bucket);
      statement.setLong(2, streamId);
      statement.setInt(3, bucket);
      statement.setLong(4, streamId);
      statement.setLong(5, index);
      statement.setLong(6, index);
      statement.setInt(7, mostRows);
      statement.setInt(8, mostBytes);
      return rows(statement);
    }
  }

  List<StoredExtent> stored(Connection connection, int bucket, long streamId, long from, long to)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(STORED)) {
      statement.setInt(1, bucket);
      statement.setLong(2, streamId);
      statement.setLong(3, to);
      statement.setInt(4, bucket);
      statement.setLong(5, streamId);
      statement.setLong(6, from);
      statement.setLong(7, from);
      return rows(statement);
    }
  }

  /** How far the stream is compacted: the index of the first segment that is not here. */
  long end(Connection connection, int bucket, long streamId) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(END)) {
      statement.setInt(1, bucket);
      statement.setLong(2, streamId);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getLong(1) : 0;
      }
    }
  }

  void insert(Connection connection, int bucket, long streamId, List<StoredExtent> rows)
      throws SQLException {
    int count = rows.size();
    long[] firstIndex = new long[count];
    int[] segmentCount = new int[count];
    short[] format = new short[count];
    int[] checksum = new int[count];
    int[] plainBytes = new int[count];
    byte[][] data = new byte[count][];
    for (int i = 0; i < count; i++) {
      StoredExtent row = rows.get(i);
      firstIndex[i] = row.firstIndex();
      segmentCount[i] = row.segmentCount();
      format[i] = row.format();
      checksum[i] = row.checksum();
      plainBytes[i] = row.plainBytes();
      data[i] = row.data();
    }
    try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
      statement.setInt(1, bucket);
      statement.setLong(2, streamId);
      statement.setObject(3, firstIndex);
      statement.setObject(4, segmentCount);
      statement.setObject(5, format);
      statement.setObject(6, checksum);
      statement.setObject(7, plainBytes);
      statement.setObject(8, data);
      statement.executeUpdate();
    }
  }

  private static List<StoredExtent> rows(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      List<StoredExtent> rows = new ArrayList<>();
      while (row.next()) {
        rows.add(
            new StoredExtent(
                row.getLong("first_index"),
                row.getInt("segment_count"),
                row.getShort("format"),
                row.getInt("checksum"),
                row.getInt("plain_bytes"),
                row.getBytes("data")));
      }
      return rows;
    }
  }
}

package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.CorruptExtent;
import java.io.ByteArrayOutputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * The rows of extents, inside a flush: what is added, and what is stored already where a writer
 * repeats itself.
 */
final class ExtentRows {
  private static final String INSERT =
      """
      INSERT INTO extents (bucket, stream_id, first_index, segment_count, format, checksum, data)
      SELECT added.bucket, added.stream_id, added.first_index, added.segment_count, 1, added.checksum, added.data
        FROM unnest(?::int[], ?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::bytea[])
             AS added (bucket, stream_id, first_index, segment_count, checksum, data)
      """;

  /** From the extent that holds the first index on. */
  private static final String STORED =
      """
      SELECT first_index, data
        FROM extents
       WHERE bucket = ? AND stream_id = ? AND first_index < ?
         AND first_index >= (SELECT coalesce(max(first_index), 0)
                               FROM extents
                              WHERE bucket = ? AND stream_id = ? AND first_index <= ?)
         AND first_index + segment_count > ?
       ORDER BY first_index
      """;

  private final CompactRows compactRows = new CompactRows();

  void insert(Connection connection, List<Integer> buckets, List<Extent> extents)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
      bind(statement, 1, buckets, extents);
      statement.executeUpdate();
    }
  }

  /** One array for each column, from the position on. */
  static void bind(
      PreparedStatement statement, int position, List<Integer> buckets, List<Extent> extents)
      throws SQLException {
    int rows = extents.size();
    int[] bucket = new int[rows];
    long[] streamId = new long[rows];
    long[] firstIndex = new long[rows];
    int[] segmentCount = new int[rows];
    int[] checksum = new int[rows];
    byte[][] data = new byte[rows][];
    for (int i = 0; i < rows; i++) {
      Extent extent = extents.get(i);
      bucket[i] = buckets.get(i);
      streamId[i] = extent.streamId();
      firstIndex[i] = extent.firstIndex();
      segmentCount[i] = extent.segmentCount();
      checksum[i] = extent.checksum();
      data[i] = extent.data();
    }
    statement.setObject(position, bucket);
    statement.setObject(position + 1, streamId);
    statement.setObject(position + 2, firstIndex);
    statement.setObject(position + 3, segmentCount);
    statement.setObject(position + 4, checksum);
    statement.setObject(position + 5, data);
  }

  /**
   * Segments [from, to) of a stream whose head is locked, all of which are stored.
   *
   * @throws CorruptExtent those at rest are not what was written
   */
  PackedSegments stored(Connection connection, StreamKey key, Head locked, long from, long to)
      throws SQLException {
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    long firstIndex = -1;
    if (locked.state() != StreamState.OPEN) {
      for (StoredExtent row :
          compactRows.stored(connection, key.bucket(), locked.streamId(), from, to)) {
        Extent extent = row.sound(locked.streamId());
        if (extent == null) {
          throw new CorruptExtent(key.key(), row.firstIndex());
        }
        firstIndex = firstIndex < 0 ? row.firstIndex() : firstIndex;
        data.writeBytes(extent.data());
      }
    }
    try (PreparedStatement statement = connection.prepareStatement(STORED)) {
      statement.setInt(1, key.bucket());
      statement.setLong(2, locked.streamId());
      statement.setLong(3, to);
      statement.setInt(4, key.bucket());
      statement.setLong(5, locked.streamId());
      statement.setLong(6, from);
      statement.setLong(7, from);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          firstIndex = firstIndex < 0 ? row.getLong(1) : firstIndex;
          data.writeBytes(row.getBytes(2));
        }
      }
    }
    PackedSegments segments = PackedSegments.of(data.toByteArray());
    return segments.slice((int) (from - firstIndex), (int) (to - firstIndex));
  }
}

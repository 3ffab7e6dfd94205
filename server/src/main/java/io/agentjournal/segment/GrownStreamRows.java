package io.agentjournal.segment;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * The last statement of a flush over all buckets: the heads that advance and the extents that are
 * added, at once, because a round trip more costs as much as ten streams. (Within one bucket, on a
 * distributed PostgreSQL, they are two statements.)
 */
final class GrownStreamRows {
  private static final String WRITE =
      """
      WITH advanced AS (
          UPDATE streams
             SET next_index = grown.next_index, size_bytes = grown.size_bytes, last_segment_at = now()
            FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) AS grown (stream_id, next_index, size_bytes)
           WHERE streams.stream_id = grown.stream_id)
      INSERT INTO extents (bucket, stream_id, first_index, segment_count, format, checksum, data)
      SELECT added.bucket, added.stream_id, added.first_index, added.segment_count, 1, added.checksum, added.data
        FROM unnest(?::int[], ?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::bytea[])
             AS added (bucket, stream_id, first_index, segment_count, checksum, data)
      """;

  /** The buckets are those of the extents. */
  void write(
      Connection connection, List<Head> advanced, List<Integer> buckets, List<Extent> extents)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(WRITE)) {
      FlushRows.bind(statement, 1, advanced);
      ExtentRows.bind(statement, 4, buckets, extents);
      statement.executeUpdate();
    }
  }
}

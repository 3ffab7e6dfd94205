package io.agentjournal.segment;

import io.agentjournal.database.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves the segments of streams that have ended from extents to compact_extents, a stretch in each
 * transaction:
 *
 * <ol>
 *   <li>lock the head, unless somebody else has it;
 *   <li>read what comes next in extents, and check it;
 *   <li>insert it deflated, in rows of bounded size, and delete what was read.
 * </ol>
 *
 * What is to be done is seen in extents itself: whoever ends a stream has nothing to write for it.
 * Thread-safe; every method blocks.
 */
final class CompactionStore {
  private static final int STREAMS_PER_LOOK = 200;

  /** A transaction takes some ten milliseconds. Others wait for the head as long. */
  private static final int STRETCH_ROWS = 4_000;

  private static final int STRETCH_BYTES = 1 << 20;

  /**
   * The streams of a bucket that have rows in extents, each found by one descent of the index
   * however many rows it has, and which of them ended long enough ago.
   */
  static final String LOOK =
      """
      WITH RECURSIVE found (stream_id) AS (
        (SELECT stream_id
           FROM extents
          WHERE bucket = ? AND stream_id > ?
          ORDER BY stream_id
          LIMIT 1)
        UNION ALL
        SELECT (SELECT extents.stream_id
                  FROM extents
                 WHERE extents.bucket = ? AND extents.stream_id > found.stream_id
                 ORDER BY extents.stream_id
                 LIMIT 1)
          FROM found
         WHERE found.stream_id IS NOT NULL)
      SELECT looked.stream_id,
             EXISTS (SELECT 1
                       FROM streams
                      WHERE streams.bucket = ? AND streams.stream_id = looked.stream_id
                        AND state IN ('COMPLETE', 'FAILED', 'SUPERSEDED')
                        AND ended_at <= now() - make_interval(secs => ?)) AS is_ripe
        FROM (SELECT stream_id FROM found WHERE stream_id IS NOT NULL LIMIT ?) AS looked
      """;

  static final String LOCK =
      """
      SELECT next_index
        FROM streams
       WHERE bucket = ? AND stream_id = ? AND state IN ('COMPLETE', 'FAILED', 'SUPERSEDED')
         FOR NO KEY UPDATE SKIP LOCKED
      """;

  /** Nobody was told that it happened, and undone it can be done again: no need to wait for it. */
  private static final String WITHOUT_WAITING_FOR_THE_DISK = "SET LOCAL synchronous_commit = off";

  /** Sizes are summed without fetching the payloads. */
  static final String STRETCH =
      """
      SELECT first_index, segment_count, format, checksum, data
        FROM (SELECT first_index, segment_count, format, checksum, data,
                     sum(octet_length(data)) OVER (ORDER BY first_index ROWS UNBOUNDED PRECEDING)
                       - octet_length(data) AS bytes_before
                FROM extents
               WHERE bucket = ? AND stream_id = ? AND first_index >= ?
               ORDER BY first_index
               LIMIT ?) AS stretch
       WHERE bytes_before < ?
       ORDER BY first_index
      """;

  private static final String REMOVE =
      """
      DELETE FROM extents
       WHERE bucket = ? AND stream_id = ? AND first_index >= ? AND first_index < ?
      """;

  private final Transactions transactions;
  private final CompactRows compactRows = new CompactRows();

  CompactionStore(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Some streams of a bucket, in the order of their ids.
   *
   * @param ripe those that are to be compacted
   * @param last the look goes on behind this one; null: there are no more
   */
  record Looked(List<Long> ripe, @Nullable Long last) {}

  /** What one transaction did. */
  record Compacted(int segments, int rowsBefore, int rowsAfter, long bytesAfter, boolean isDone) {
    /** Somebody else holds the head or has done it, or the stream was deleted. */
    static final Compacted NOTHING = new Compacted(0, 0, 0, 0, true);
  }

  /** The stored bytes are not what was written. They stay as they are, for a reader to be told. */
  static final class Unsound extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unsound(long streamId, long index) {
      super("segment %d of the stream with the id %d".formatted(index, streamId));
    }
  }

  Looked look(int bucket, long after, Duration age) {
    return transactions.readOnly(
        "look for streams to compact", connection -> look(connection, bucket, after, age));
  }

  private static Looked look(Connection connection, int bucket, long after, Duration age)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LOOK)) {
      statement.setInt(1, bucket);
      statement.setLong(2, after);
      statement.setInt(3, bucket);
      statement.setInt(4, bucket);
      statement.setDouble(5, age.toMillis() / 1_000.0);
      statement.setInt(6, STREAMS_PER_LOOK);
      try (ResultSet row = statement.executeQuery()) {
        List<Long> ripe = new ArrayList<>();
        int seen = 0;
        long last = after;
        while (row.next()) {
          seen++;
          last = row.getLong(1);
          if (row.getBoolean(2)) {
            ripe.add(last);
          }
        }
        return new Looked(ripe, seen < STREAMS_PER_LOOK ? null : last);
      }
    }
  }

  /**
   * Moves the next stretch of a stream.
   *
   * @throws Unsound it cannot be, and nothing was changed
   */
  Compacted compact(int bucket, long streamId) {
    return transactions.run("compact stream", connection -> compact(connection, bucket, streamId));
  }

  private Compacted compact(Connection connection, int bucket, long streamId) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(WITHOUT_WAITING_FOR_THE_DISK);
    }
    Long nextIndex = lock(connection, bucket, streamId);
    if (nextIndex == null) {
      return Compacted.NOTHING;
    }
    long from = compactRows.end(connection, bucket, streamId);
    List<StoredExtent> stretch = stretch(connection, bucket, streamId, from);
    if (stretch.isEmpty() && from == nextIndex) {
      return Compacted.NOTHING;
    }
    List<PackedSegments> segments = sound(stretch, streamId, from);
    List<StoredExtent> rows = CompactPacking.pack(streamId, from, segments);
    compactRows.insert(connection, bucket, streamId, rows);
    long to = stretch.get(stretch.size() - 1).endIndex();
    int removed = remove(connection, bucket, streamId, from, to);
    if (removed != stretch.size()) {
      throw new IllegalStateException(
          "%d rows of stream %d were read and %d removed"
              .formatted(stretch.size(), streamId, removed));
    }
    long bytes = rows.stream().mapToLong(row -> row.data().length).sum();
    return new Compacted((int) (to - from), removed, rows.size(), bytes, to >= nextIndex);
  }

  /** Segments in the sizes in which they came, from the index on and without a hole. */
  private static List<PackedSegments> sound(List<StoredExtent> stretch, long streamId, long from) {
    if (stretch.isEmpty()) {
      throw new Unsound(streamId, from);
    }
    List<PackedSegments> segments = new ArrayList<>();
    long expected = from;
    for (StoredExtent row : stretch) {
      Extent extent = row.firstIndex() == expected ? row.sound(streamId) : null;
      if (extent == null) {
        throw new Unsound(streamId, expected);
      }
      PackedSegments packed = packed(extent);
      if (packed.count() != extent.segmentCount()) {
        throw new Unsound(streamId, expected);
      }
      segments.add(packed);
      expected = extent.endIndex();
    }
    return segments;
  }

  private static PackedSegments packed(Extent extent) {
    try {
      return PackedSegments.of(extent.data());
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return PackedSegments.NONE;
    }
  }

  /** Its next index; null: it is not to be compacted, or not now. */
  private static @Nullable Long lock(Connection connection, int bucket, long streamId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
      statement.setInt(1, bucket);
      statement.setLong(2, streamId);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getLong(1) : null;
      }
    }
  }

  private static List<StoredExtent> stretch(
      Connection connection, int bucket, long streamId, long from) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(STRETCH)) {
      statement.setInt(1, bucket);
      statement.setLong(2, streamId);
      statement.setLong(3, from);
      statement.setInt(4, STRETCH_ROWS);
      statement.setInt(5, STRETCH_BYTES);
      try (ResultSet row = statement.executeQuery()) {
        List<StoredExtent> stretch = new ArrayList<>();
        while (row.next()) {
          stretch.add(
              StoredExtent.plain(
                  row.getLong(1), row.getInt(2), row.getShort(3), row.getInt(4), row.getBytes(5)));
        }
        return stretch;
      }
    }
  }

  private static int remove(Connection connection, int bucket, long streamId, long from, long to)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(REMOVE)) {
      statement.setInt(1, bucket);
      statement.setLong(2, streamId);
      statement.setLong(3, from);
      statement.setLong(4, to);
      return statement.executeUpdate();
    }
  }
}

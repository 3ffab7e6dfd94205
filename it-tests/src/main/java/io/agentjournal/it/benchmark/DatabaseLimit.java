package io.agentjournal.it.benchmark;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32C;

/**
 * The database's limit: the statements of the server's flush alone, from a few connections. Each
 * transaction locks and advances all streams of its connection and inserts an extent for each, of
 * as many segments as the server's had in the same round. Nobody sends anything, nothing is
 * decided.
 */
final class DatabaseLimit {
  static final String NAME = "the database's limit";

  private static final int CONNECTIONS = 4;

  private static final String OPEN =
      "INSERT INTO streams (bucket, namespace, stream_key, content_type) VALUES (?, 'limit', ?, '') RETURNING stream_id";

  private static final String STORED =
      "SELECT sum(next_index)::bigint FROM streams WHERE namespace = 'limit' AND stream_key LIKE ?";

  private final JdbcAccess database;
  private final String lock;
  private final String write;

  DatabaseLimit(JdbcAccess database) throws Exception {
    this.database = database;
    ServerStatement statements = new ServerStatement();
    this.lock = statements.text("segment.FlushRows", "LOCK");
    this.write = statements.text("segment.GrownStreamRows", "WRITE");
  }

  /** Segments in a second, as the heads have them. Blocks. */
  double perSecond(int streams, int segmentsPerExtent, Duration time) throws Exception {
    String keyPrefix = Journal.newKeyPrefix();
    ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
    try {
      List<Future<Double>> lanes = new ArrayList<>();
      for (int number = 0; number < CONNECTIONS; number++) {
        Lane lane =
            new Lane(keyPrefix + number + "-", number, streams / CONNECTIONS, segmentsPerExtent);
        lanes.add(threads.submit(() -> lane.write(time)));
      }
      double seconds = 0;
      for (Future<Double> lane : lanes) {
        seconds = Math.max(seconds, lane.get());
      }
      return database.number(STORED, keyPrefix + "%") / seconds;
    } finally {
      threads.shutdown();
    }
  }

  /** One connection. */
  private final class Lane {
    private final String keyPrefix;
    private final int bucket;
    private final long[] streamIds;
    private final int segmentsPerExtent;
    private final byte[] data;

    Lane(String keyPrefix, int bucket, int streams, int segmentsPerExtent) {
      this.keyPrefix = keyPrefix;
      this.bucket = bucket;
      this.streamIds = new long[streams];
      this.segmentsPerExtent = segmentsPerExtent;
      this.data = segments(segmentsPerExtent);
    }

    /** Returns the seconds that it took. */
    double write(Duration time) throws SQLException {
      try (Connection connection = database.connect()) {
        open(connection);
        connection.setAutoCommit(false);
        long start = System.nanoTime();
        try (PreparedStatement locking = connection.prepareStatement(lock);
            PreparedStatement writing = connection.prepareStatement(write)) {
          for (long first = 0; System.nanoTime() - start < time.toNanos(); ) {
            lock(locking);
            write(writing, first);
            connection.commit();
            first += segmentsPerExtent;
          }
        }
        return (System.nanoTime() - start) / 1e9;
      }
    }

    private void open(Connection connection) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(OPEN)) {
        for (int i = 0; i < streamIds.length; i++) {
          statement.setInt(1, bucket);
          statement.setString(2, keyPrefix + i);
          try (ResultSet row = statement.executeQuery()) {
            row.next();
            streamIds[i] = row.getLong(1);
          }
        }
      }
    }

    private void lock(PreparedStatement statement) throws SQLException {
      statement.setObject(1, streamIds);
      try (ResultSet row = statement.executeQuery()) {
        int heads = 0;
        while (row.next()) {
          heads++;
        }
        if (heads != streamIds.length) {
          throw new SQLException(heads + " of " + streamIds.length + " heads are there");
        }
      }
    }

    private void write(PreparedStatement statement, long firstIndex) throws SQLException {
      long nextIndex = firstIndex + segmentsPerExtent;
      int[] buckets = new int[streamIds.length];
      Arrays.fill(buckets, bucket);
      int[] counts = new int[streamIds.length];
      Arrays.fill(counts, segmentsPerExtent);
      int[] checksums = new int[streamIds.length];
      byte[][] rows = new byte[streamIds.length][];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = data;
        CRC32C checksum = new CRC32C();
        checksum.update(data);
        checksums[i] = (int) checksum.getValue();
      }
      statement.setObject(1, streamIds);
      statement.setObject(2, each(nextIndex));
      statement.setObject(3, each(nextIndex * SegmentLoad.TOKEN.length()));
      statement.setObject(4, buckets);
      statement.setObject(5, streamIds);
      statement.setObject(6, each(firstIndex));
      statement.setObject(7, counts);
      statement.setObject(8, checksums);
      statement.setObject(9, rows);
      statement.executeUpdate();
    }

    private long[] each(long value) {
      long[] values = new long[streamIds.length];
      Arrays.fill(values, value);
      return values;
    }
  }

  /** In the form in which the server stores them. */
  private static byte[] segments(int count) {
    byte[] token = SegmentLoad.TOKEN.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    for (byte[] each : Collections.nCopies(count, token)) {
      data.write(0x1a);
      data.write(each.length + 2);
      data.write(0x0a);
      data.write(each.length);
      data.writeBytes(each);
    }
    return data.toByteArray();
  }
}

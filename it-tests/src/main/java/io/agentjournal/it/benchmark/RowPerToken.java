package io.agentjournal.it.benchmark;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What people write first: a table with a row, and a commit, for each token. */
final class RowPerToken {
  private static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS row_per_token (
          stream text NOT NULL, index bigint NOT NULL, token text NOT NULL, PRIMARY KEY (stream, index))
      """;

  private static final String INSERT =
      "INSERT INTO row_per_token (stream, index, token) VALUES (?, ?, ?)";

  private static final String COUNT = "SELECT count(*) FROM row_per_token WHERE stream LIKE ?";

  private final JdbcAccess database;

  RowPerToken(JdbcAccess database) {
    this.database = database;
  }

  static String name(int connections) {
    return "a row and a commit per token, %d connection%s"
        .formatted(connections, connections == 1 ? "" : "s");
  }

  /** Rows committed in a second, counted afterwards. Blocks. */
  double perSecond(int connections, Duration time) throws Exception {
    database.execute(TABLE);
    String keyPrefix = Journal.newKeyPrefix();
    ExecutorService threads = Executors.newFixedThreadPool(connections);
    try {
      long start = System.nanoTime();
      List<Future<?>> writers = new ArrayList<>();
      for (int number = 0; number < connections; number++) {
        String stream = keyPrefix + number;
        writers.add(
            threads.submit(
                () -> {
                  insertUntil(stream, start + time.toNanos());
                  return null;
                }));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      return database.number(COUNT, keyPrefix + "%") / seconds;
    } finally {
      threads.shutdown();
    }
  }

  private void insertUntil(String stream, long end) throws SQLException {
    try (Connection connection = database.connect();
        PreparedStatement statement = connection.prepareStatement(INSERT)) {
      for (long index = 0; System.nanoTime() < end; index++) {
        statement.setString(1, stream);
        statement.setLong(2, index);
        statement.setString(3, SegmentLoad.TOKEN);
        statement.executeUpdate();
      }
    }
  }
}

package io.agentjournal.it.benchmark;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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

  private final String jdbcUrl;
  private final String user;
  private final String password;

  RowPerToken(String jdbcUrl, String user, String password) {
    this.jdbcUrl = jdbcUrl;
    this.user = user;
    this.password = password;
  }

  /** Rows committed in a second, counted afterwards. Blocks. */
  double perSecond(String keyPrefix, int connections, Duration time) throws Exception {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(TABLE);
    }
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
      return count(keyPrefix) / seconds;
    } finally {
      threads.shutdown();
    }
  }

  private void insertUntil(String stream, long end) throws SQLException {
    try (Connection connection = connect();
        PreparedStatement statement = connection.prepareStatement(INSERT)) {
      for (long index = 0; System.nanoTime() < end; index++) {
        statement.setString(1, stream);
        statement.setLong(2, index);
        statement.setString(3, SegmentLoad.TOKEN);
        statement.executeUpdate();
      }
    }
  }

  private long count(String keyPrefix) throws SQLException {
    try (Connection connection = connect();
        PreparedStatement statement = connection.prepareStatement(COUNT)) {
      statement.setString(1, keyPrefix + "%");
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrl, user, password);
  }
}

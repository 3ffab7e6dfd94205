package io.agentjournal.it.benchmark;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The plainest journal there is: one INSERT of one event, one commit, and the next. It looks for no
 * run, locks nothing and fences nobody off.
 */
final class RowCommitLoad {
  static final String TEXT = "the quick brown fox jumps over the lazy dog ".repeat(4);
  static final String PAYLOAD = "{\"result\":\"%s\"}".formatted(TEXT);

  private static final String INSERT =
      """
      INSERT INTO run_events (namespace, run_id, seq, kind, position, version, payload_case, payload)
      VALUES ('benchmark', ?, ?, 'tool_result', 0, 0, 2, ?)
      """;

  private final String jdbcUrl;
  private final String user;
  private final String password;

  RowCommitLoad(String jdbcUrl, String user, String password) {
    this.jdbcUrl = jdbcUrl;
    this.user = user;
    this.password = password;
  }

  /** Rows committed in each second. Blocks. */
  double perSecond(Duration turn, int connections) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(connections);
    try {
      long start = System.nanoTime();
      List<Future<Long>> counts = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        counts.add(threads.submit(() -> insertUntil(start + turn.toNanos())));
      }
      long rows = 0;
      for (Future<Long> count : counts) {
        rows += count.get();
      }
      return rows / ((System.nanoTime() - start) / 1e9);
    } finally {
      threads.shutdown();
    }
  }

  private long insertUntil(long end) throws SQLException {
    byte[] payload = PAYLOAD.getBytes(StandardCharsets.UTF_8);
    String runId = "rows-" + UUID.randomUUID();
    try (Connection connection = DriverManager.getConnection(jdbcUrl, user, password);
        PreparedStatement statement = connection.prepareStatement(INSERT)) {
      long seq = 0;
      while (System.nanoTime() < end) {
        statement.setString(1, runId);
        statement.setLong(2, seq++);
        statement.setBytes(3, payload);
        statement.executeUpdate();
      }
      return seq;
    }
  }
}

package io.agentjournal.it.benchmark;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/** One connection that inserts a token and commits, and the next, with nobody else about. */
final class LoneCommit {
  static final String NAME = "a lone commit";

  private static final String TABLE =
      "CREATE TABLE IF NOT EXISTS lone_commit (id bigint GENERATED ALWAYS AS IDENTITY, token text NOT NULL)";

  private static final String INSERT = "INSERT INTO lone_commit (token) VALUES (?)";

  private final JdbcAccess database;

  LoneCommit(JdbcAccess database) {
    this.database = database;
  }

  /** The median. Blocks. */
  double millis(Duration time) throws SQLException {
    database.execute(TABLE);
    Latencies latencies = new Latencies();
    try (Connection connection = database.connect();
        PreparedStatement insert = connection.prepareStatement(INSERT)) {
      long start = System.nanoTime();
      long now = start;
      while (now - start < time.toNanos()) {
        insert.setString(1, SegmentLoad.TOKEN);
        insert.executeUpdate();
        long done = System.nanoTime();
        latencies.add(done - now);
        now = done;
      }
    }
    return latencies.millis(0.5);
  }
}

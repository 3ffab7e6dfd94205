package io.agentjournal.it.benchmark;

import io.agentjournal.it.ServerProcess;
import io.agentjournal.it.benchmark.SegmentLoad.Sending;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

/** A server of ours with a PostgreSQL of its own, and writers that put load on it. */
final class Journal implements Participant {
  private static final int CONNECTIONS = 4;

  private static final String STORED =
      "SELECT COALESCE(sum(next_index), 0)::bigint FROM streams WHERE namespace = 'default' AND stream_key LIKE ?";

  private static final String EXTENTS =
      """
      SELECT count(*)
        FROM streams JOIN extents USING (bucket, stream_id)
       WHERE namespace = 'default' AND stream_key LIKE ?
      """;

  private final Path directory;
  private final ServerProcess server;
  private final Connections connections;
  private final JdbcAccess tables;

  private Journal(Path directory, ServerProcess server) {
    this.directory = directory;
    this.server = server;
    this.connections = new Connections(server.target(), CONNECTIONS);
    this.tables = JdbcAccess.to(server.postgres());
  }

  /** On data of its own, inside the directory. Returns when it listens. */
  static Journal start(Path parent, String name, String... options) throws IOException {
    Path directory = Files.createDirectory(parent.resolve(name));
    return new Journal(directory, ServerProcess.startToMeasure(directory, options));
  }

  Path postgresLog() {
    return directory.resolve("data").resolve("postgresql.log");
  }

  ServerProcess server() {
    return server;
  }

  Connections connections() {
    return connections;
  }

  JdbcAccess tables() {
    return tables;
  }

  /**
   * What writers have stored, as the tables have it.
   *
   * @param extents rows
   */
  record Written(long segments, long extents, double seconds) {
    double perSecond() {
      return segments / seconds;
    }

    int segmentsPerExtent() {
      return (int) Math.max(1, segments / Math.max(1, extents));
    }
  }

  /** New streams, written for a time. Blocks. */
  Written write(Sending sending, int streams, int segmentsPerMessage, Duration time)
      throws SQLException {
    String keyPrefix = newKeyPrefix();
    double seconds =
        new SegmentLoad(connections).write(sending, keyPrefix, streams, segmentsPerMessage, time);
    return new Written(
        tables.number(STORED, keyPrefix + "%"), tables.number(EXTENTS, keyPrefix + "%"), seconds);
  }

  static String newKeyPrefix() {
    return UUID.randomUUID() + "-";
  }

  @Override
  public void close() {
    connections.close();
    server.close();
  }
}

package io.agentjournal.it.benchmark;

import io.agentjournal.it.OwnPostgresProcess;
import io.agentjournal.it.ServerProcess;
import io.agentjournal.it.benchmark.SegmentLoad.Sending;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Durable segments a second, against what one would take instead: by turns, A B A B, in one run,
 * with client, server and database as processes of their own. Arguments: rounds (5), seconds of
 * each turn (5), the folder for the results.
 */
public final class StreamBenchmark {
  private static final String STORED =
      "SELECT COALESCE(sum(next_index), 0)::bigint FROM streams WHERE namespace = 'default' AND stream_key LIKE ?";

  private final int rounds;
  private final Duration turn;
  private final Results results = new Results();

  private StreamBenchmark(int rounds, Duration turn) {
    this.rounds = rounds;
    this.turn = turn;
  }

  public static void main(String[] arguments) throws Exception {
    StreamBenchmark benchmark =
        new StreamBenchmark(
            arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5,
            Duration.ofSeconds(arguments.length > 1 ? Long.parseLong(arguments[1]) : 5));
    benchmark.measure();
    System.out.println(benchmark.results.table());
    if (arguments.length > 2) {
      benchmark.results.write(Path.of(arguments[2]));
    }
  }

  private void measure() throws Exception {
    Path directory = Files.createTempDirectory("stream-benchmark-");
    try (ServerProcess server = ServerProcess.startToMeasure(directory);
        SegmentLoad load = new SegmentLoad(server.target());
        CountingProcess counting = CountingProcess.start(directory);
        SegmentLoad transport = new SegmentLoad(counting.target());
        RedisStreams redis = RedisStreams.start(directory)) {
      OwnPostgresProcess postgres = server.postgres();
      RowPerToken rows = new RowPerToken(postgres.jdbcUrl(), postgres.user(), postgres.password());
      for (int round = -1; round < rounds; round++) {
        boolean warmUp = round < 0;
        results.next(warmUp);
        for (int segments : new int[] {1, 16, 64}) {
          String what = "200 streams, " + segments + " segments a message, streamed";
          results.add(
              what, "agent-journal", journal(postgres, load, Sending.STREAMED, 200, segments));
          results.add(
              what,
              "transport's limit",
              limit(counting, transport, Sending.STREAMED, 200, segments));
          addRedis(what, redis, segments == 1 ? 16 : segments, warmUp);
        }
        for (int streams : new int[] {50, 200}) {
          String what = streams + " streams, every segment acknowledged before the next";
          results.add(
              what, "agent-journal", journal(postgres, load, Sending.ACKNOWLEDGED, streams, 1));
          results.add(
              what, "agent-journal, unary", journal(postgres, load, Sending.UNARY, streams, 1));
          results.add(
              what,
              "transport's limit",
              limit(counting, transport, Sending.ACKNOWLEDGED, streams, 1));
          addRedis(what, redis, 1, warmUp);
        }
        for (int connections : new int[] {1, 32}) {
          results.add(
              "a row and a commit for each token",
              connections + " connections",
              rows.perSecond(UUID.randomUUID().toString(), connections, turn));
        }
      }
    }
  }

  private double journal(
      OwnPostgresProcess postgres, SegmentLoad load, Sending sending, int streams, int segments)
      throws SQLException {
    String keyPrefix = UUID.randomUUID() + "-";
    double seconds = load.write(sending, keyPrefix, streams, segments, turn);
    return stored(postgres, keyPrefix) / seconds;
  }

  private double limit(
      CountingProcess counting, SegmentLoad load, Sending sending, int streams, int segments)
      throws IOException {
    long before = counting.counted();
    double seconds = load.write(sending, "s", streams, segments, turn);
    return (counting.counted() - before) / seconds;
  }

  private void addRedis(String what, @Nullable RedisStreams redis, int pipeline, boolean warmUp)
      throws IOException {
    if (redis != null) {
      // About as long as the others, of which the warm-up gives an idea.
      long entries = pipeline == 1 ? 200_000 : 1_000_000;
      results.add(
          what,
          "Redis, 50 connections, pipeline " + pipeline,
          redis.perSecond(pipeline, warmUp ? entries / 10 : entries));
    }
  }

  private static long stored(OwnPostgresProcess postgres, String keyPrefix) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
        PreparedStatement statement = connection.prepareStatement(STORED)) {
      statement.setString(1, keyPrefix + "%");
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }
}

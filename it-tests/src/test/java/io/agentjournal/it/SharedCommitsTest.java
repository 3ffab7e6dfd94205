package io.agentjournal.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.SegmentWriter;
import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc.SegmentServiceBlockingStub;
import io.agentjournal.v1.StreamOpen;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Streams share commits. Counted is every transaction of the database, from the server's first
 * migration on until its last connection is closed, as PostgreSQL itself counts them.
 */
final class SharedCommitsTest {
  private static final int STREAMS = 64;
  private static final int SEGMENTS = Boolean.getBoolean("journal.thorough") ? 10_000 : 1_000;
  private static final int PUTS = 200;

  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  private final DatabaseAddress database = POSTGRES.emptyDatabase();

  @TempDir Path directory;

  @Test
  void streams_of_single_segments_cost_less_than_a_twentieth_of_a_commit_each() throws Exception {
    runServer(
        client ->
            onAllStreams(
                stream -> {
                  try (SegmentWriter writer = client.writer(stream).open()) {
                    for (int i = 0; i < SEGMENTS; i++) {
                      writer.append("token " + i);
                    }
                    writer.finish("stop");
                  }
                  return null;
                }));
    long segments = (long) STREAMS * SEGMENTS;
    assertEquals(segments, ask("SELECT sum(next_index) FROM streams"));
    long commits = commits();
    new Summary("commits").put("segments", segments).put("commits", commits).write();
    assertTrue(commits * 20 < segments, commits + " commits for " + segments + " segments");
  }

  @Test
  void calls_of_one_token_share_commits_too() throws Exception {
    runServer(
        client -> {
          SegmentServiceBlockingStub stub = SegmentServiceGrpc.newBlockingStub(client.channel());
          onAllStreams(
              stream -> {
                for (int i = 0; i < PUTS; i++) {
                  var unused =
                      stub.putSegments(
                          PutSegmentsRequest.newBuilder()
                              .setOpen(StreamOpen.newBuilder().setStreamKey(stream))
                              .setFirstIndex(i)
                              .addSegments(Segment.newBuilder().setText("token " + i))
                              .build());
                }
                return null;
              });
        });
    long calls = (long) STREAMS * PUTS;
    assertEquals(calls, ask("SELECT sum(next_index) FROM streams"));
    long commits = commits();
    System.out.printf("%,d calls of one token made %,d commits%n", calls, commits);
    assertTrue(commits * 2 < calls, commits + " commits for " + calls + " calls");
  }

  private interface Work {
    void with(JournalClient client) throws Exception;
  }

  private interface StreamWork {
    Void on(String stream) throws Exception;
  }

  private void runServer(Work work) throws Exception {
    try (ServerProcess server =
        ServerProcess.startOn(
            database.jdbcUrl(),
            Objects.requireNonNullElse(database.user(), ""),
            Objects.requireNonNullElse(database.password(), ""),
            directory)) {
      try (JournalClient client = JournalClient.to(server.target()).plaintext().build()) {
        work.with(client);
      }
      assertEquals(0, server.terminate());
    }
  }

  private static void onAllStreams(StreamWork work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(STREAMS);
    List<Callable<Void>> all = new ArrayList<>();
    for (int stream = 0; stream < STREAMS; stream++) {
      String key = "stream-" + stream;
      all.add(() -> work.on(key));
    }
    try {
      for (Future<Void> each : threads.invokeAll(all)) {
        each.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  /** Sessions report what they did at the latest when they end. */
  private long commits() {
    Wait.until(
        "the server's connections are closed",
        () ->
            ask(
                    """
                    SELECT count(*) FROM pg_stat_activity
                     WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """)
                == 0);
    return ask("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()");
  }

  private long ask(String query) {
    try (Connection connection = TestPostgres.connect(database);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      assertTrue(row.next());
      return row.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}

package io.agentjournal.it.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.it.ServerProcess;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc.SegmentServiceBlockingStub;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stream that has ended goes from one table to the other as a whole: the transaction is held up,
 * in its middle or while it commits, and server and PostgreSQL are killed.
 */
final class CompactionKillTest {
  private static final boolean THOROUGH = Boolean.getBoolean("journal.thorough");
  private static final int MESSAGES = 20;
  private static final int SEGMENTS = 100;

  private static final String IN_THE_MIDDLE =
      "CREATE TRIGGER held_up AFTER INSERT ON compact_extents FOR EACH ROW EXECUTE FUNCTION hold_up()";

  private static final String WHILE_IT_COMMITS =
      """
      CREATE CONSTRAINT TRIGGER held_up AFTER INSERT ON compact_extents
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold_up()
      """;

  @TempDir static Path directory;

  private static ServerProcess server;

  @BeforeAll
  static void start() {
    server = ServerProcess.start(directory, "--compact-after=0s", "--compact-percent=100");
  }

  @AfterAll
  static void end() {
    server.close();
  }

  @Test
  void killed_while_it_commits_it_has_moved_nothing_and_is_done_again() throws Exception {
    killDuring(WHILE_IT_COMMITS, true);
    if (THOROUGH) {
      killDuring(WHILE_IT_COMMITS, false);
      killDuring(IN_THE_MIDDLE, true);
      killDuring(IN_THE_MIDDLE, false);
    }
  }

  private static void killDuring(String trigger, boolean postgresToo) throws SQLException {
    execute(holdUp("PERFORM pg_sleep(600);"));
    execute(trigger);
    String key = "stream-" + UUID.randomUUID();
    List<Segment> written = written(key);
    Wait.until("the transaction is held up", CompactionKillTest::isHeldUp);
    server.kill9();
    if (postgresToo) {
      server.postgres().kill9();
    }
    server.startAgain();
    Wait.until("another one is held up", CompactionKillTest::isHeldUp);
    assertEquals(MESSAGES, count("extents", key));
    assertEquals(0, count("compact_extents", key));
    assertEquals(written, read(key));

    execute(holdUp(""));
    execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    Wait.until("the stream is compacted", () -> count("extents", key) == 0);
    execute("DROP TRIGGER held_up ON compact_extents");
    assertTrue(count("compact_extents", key) > 0);
    assertEquals(written, read(key));
  }

  private static String holdUp(String how) {
    return """
        CREATE OR REPLACE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN %s RETURN NULL; END'
        """
        .formatted(how);
  }

  private static List<Segment> written(String key) {
    List<Segment> written = new ArrayList<>();
    ManagedChannel channel = server.channel();
    try {
      SegmentServiceBlockingStub stub = SegmentServiceGrpc.newBlockingStub(channel);
      for (int message = 0; message < MESSAGES; message++) {
        List<Segment> segments =
            IntStream.range(written.size(), written.size() + SEGMENTS)
                .mapToObj(i -> Segment.newBuilder().setText("token " + i).build())
                .toList();
        PutSegmentsRequest.Builder request =
            PutSegmentsRequest.newBuilder()
                .setOpen(StreamOpen.newBuilder().setStreamKey(key))
                .setFirstIndex(written.size())
                .addAllSegments(segments);
        if (message == MESSAGES - 1) {
          request.setEnd(StreamEnd.newBuilder().setFinishReason("stop"));
        }
        var unused = stub.putSegments(request.build());
        written.addAll(segments);
      }
    } finally {
      channel.shutdownNow();
    }
    return written;
  }

  private static List<Segment> read(String key) {
    List<Segment> read = new ArrayList<>();
    ManagedChannel channel = server.channel();
    try {
      SegmentServiceGrpc.newBlockingStub(channel)
          .readSegments(ReadSegmentsRequest.newBuilder().setStreamKey(key).build())
          .forEachRemaining(answer -> read.addAll(answer.getRun().getSegmentsList()));
    } finally {
      channel.shutdownNow();
    }
    return read;
  }

  private static boolean isHeldUp() {
    return number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == 1;
  }

  private static long count(String table, String key) {
    return number(
        "SELECT count(*) FROM "
            + table
            + " WHERE stream_id = (SELECT stream_id FROM streams WHERE stream_key = '"
            + key
            + "')");
  }

  private static long number(String query) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Connection connect() throws SQLException {
    return DriverManager.getConnection(
        server.postgres().jdbcUrl(), server.postgres().user(), server.postgres().password());
  }
}

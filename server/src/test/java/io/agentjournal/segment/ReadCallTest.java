package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.Segment;
import io.grpc.Status;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a read does when its client, its database or its stream fails it. */
final class ReadCallTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  private static final int SLOW_READERS_SEGMENTS =
      Boolean.getBoolean("journal.thorough") ? 1_000_000 : 200_000;

  @SuppressWarnings("NullAway.Init")
  private static DatabaseAddress database;

  @SuppressWarnings("NullAway.Init")
  private static SegmentParts parts;

  private final TestStream stream = new TestStream(parts.channel());

  @BeforeAll
  static void start() {
    // Of its own: one test ends all connections to it.
    database = POSTGRES.emptyDatabase();
    parts = new SegmentParts(database);
  }

  @AfterAll
  static void stop() {
    parts.close();
  }

  @AfterEach
  void nothing_is_left_of_the_reads() {
    Wait.until("nobody is registered", () -> !parts.changes().isWatched());
    assertEquals(0, parts.heldBytes());
  }

  private static void execute(String sql, Object... parameters) {
    try (Connection connection = TestPostgres.connect(database);
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      statement.execute();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private Reading follow() {
    return Reading.of(parts.channel(), stream.follow());
  }

  @Test
  void a_cancelled_follower_leaves_nothing_behind() {
    stream.putNumbers(0, 3);
    Reading reading = follow().awaitCaughtUp();
    assertTrue(parts.changes().isWatched());
    reading.cancel();
  }

  /** B087 */
  @Test
  void followers_that_wait_hold_no_transaction() {
    stream.putNumbers(0, 3);
    List<Reading> followers =
        IntStream.range(0, 50).mapToObj(i -> follow().awaitCaughtUp()).toList();
    Wait.until(
        "no session is in a transaction",
        () ->
            count(
                    """
                    SELECT count(*) FROM pg_stat_activity
                     WHERE datname = current_database() AND application_name = 'agentjournal' AND state <> 'idle'
                    """)
                == 0);
    followers.forEach(Reading::cancel);
  }

  /** B085: only what somebody else than the writer changes is told by way of the table. */
  @Test
  void writers_leave_no_notices() {
    long before = count("SELECT count(*) FROM stream_notices");
    List<TestStream> streams =
        IntStream.range(0, 200).mapToObj(i -> new TestStream(parts.channel())).toList();
    streams.forEach(each -> each.putNumbers(0, 3).complete("stop"));
    assertEquals(before, count("SELECT count(*) FROM stream_notices"));
    assertEquals(0, count("SELECT count(*) FROM pg_listening_channels()"));
  }

  private static long count(String query) {
    try (Connection connection = TestPostgres.connect(database);
        PreparedStatement statement = connection.prepareStatement(query);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void a_cancelled_wait_for_a_stream_leaves_nothing_behind() {
    Reading reading = Reading.of(parts.channel(), stream.follow().setWaitForStream(true));
    Wait.until("the reader waits", () -> parts.changes().isWatched());
    reading.cancel();
  }

  /** B043 */
  @Test
  void a_stream_that_is_waited_for_is_found_by_whoever_waits() {
    Reading one = Reading.of(parts.channel(), stream.follow().setWaitForStream(true).setLast(1));
    Wait.until("the first one waits", () -> parts.changes().isWatched());
    Reading other = Reading.of(parts.channel(), stream.read().setWaitForStream(true));
    stream.put(0, "a", "b");
    other.awaitEnd(ReadEndReason.READ_END_REASON_STILL_OPEN);
    assertEquals(List.of("a", "b"), other.texts());
    stream.complete("stop");
    one.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
    assertEquals(List.of("a", "b"), one.texts());
  }

  /** Else every look would look for it again and wake its reader, for as long as it follows. */
  @Test
  void a_stream_that_has_come_is_not_waited_for_any_more() {
    Reading reading =
        Reading.ofOneThatDoesNotRead(parts.channel(), stream.follow().setWaitForStream(true));
    Wait.until("the reader waits", () -> isAnyAwaited(parts));
    stream.put(0, "a");
    Wait.until("nobody waits", () -> !isAnyAwaited(parts));
    stream.complete("stop");
    reading.take(Integer.MAX_VALUE);
    reading.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
    assertEquals(List.of("a"), reading.texts());
  }

  private static boolean isAnyAwaited(SegmentParts server) {
    return server.changes().awaited().iterator().hasNext();
  }

  /** B035: the first token, too, comes with its commit. */
  @Test
  void a_stream_that_is_created_here_needs_no_look_at_the_table() {
    try (SegmentParts unwatched = SegmentParts.withoutWatch(database)) {
      for (int i = 0; i < 20; i++) {
        TestStream local = new TestStream(unwatched.channel());
        Reading reading =
            Reading.of(unwatched.channel(), local.follow().setWaitForStream(true).setLast(1));
        Wait.until("the reader waits", () -> isAnyAwaited(unwatched));
        local.put(0, "a", "b");
        reading.awaitSegments(2);
        local.complete("stop");
        reading.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
      }
    }
  }

  @Test
  void a_stream_that_is_created_while_its_reader_arrives_is_found_by_it() {
    try (SegmentParts unwatched = SegmentParts.withoutWatch(database)) {
      for (int i = 0; i < 300; i++) {
        TestStream local = new TestStream(unwatched.channel());
        Reading reading = Reading.of(unwatched.channel(), local.read().setWaitForStream(true));
        local.put(0, "a");
        reading.awaitEnd(ReadEndReason.READ_END_REASON_STILL_OPEN);
        assertEquals(List.of("a"), reading.texts());
      }
    }
  }

  /** B052, B054, B055: bounded, nothing dropped, read from the table later. */
  @Test
  void a_reader_that_never_reads_holds_little_and_misses_nothing() {
    stream.put(0, "0");
    Reading reading = Reading.ofOneThatDoesNotRead(parts.channel(), stream.follow());
    Wait.until("the reader follows", () -> parts.changes().isWatched());
    long most = 0;
    for (int first = 1; first < SLOW_READERS_SEGMENTS; first += 1_000) {
      stream.putNumbers(first, first + 1_000);
      most = Math.max(most, parts.heldBytes());
    }
    stream.complete("stop");
    assertTrue(
        most <= PageStore.PAGE_BYTES + ExtentQueue.MAX_PUBLISHED_BYTES + Extent.MAX_BYTES,
        "held at most " + most);
    reading.take(Integer.MAX_VALUE);
    reading.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
    assertEquals(SLOW_READERS_SEGMENTS + 1, reading.count());
    List<String> texts = reading.texts();
    for (int i = 0; i < texts.size(); i++) {
      assertEquals(Integer.toString(i), texts.get(i));
    }
  }

  @Test
  void a_reader_that_stops_now_and_then_gets_everything_once() {
    Reading reading =
        Reading.ofOneThatDoesNotRead(parts.channel(), stream.follow().setWaitForStream(true));
    Segment segment = Segment.newBuilder().setText("x".repeat(10_000)).build();
    for (int i = 0; i < 500; i += 5) {
      stream.put(i, List.of(segment, segment, segment, segment, segment));
      if (i % 3 == 0) {
        reading.take(1);
      }
    }
    stream.complete("stop");
    reading.take(Integer.MAX_VALUE);
    reading.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
    assertEquals(500, reading.count());
  }

  @Test
  void a_follower_is_cut_when_the_server_goes_away_and_resumes_elsewhere() {
    try (SegmentParts leaving = new SegmentParts(database)) {
      stream.putNumbers(0, 3);
      Reading following = Reading.of(leaving.channel(), stream.follow()).awaitCaughtUp();
      Reading waiting =
          Reading.of(
              leaving.channel(), new TestStream(leaving.channel()).read().setWaitForStream(true));
      leaving.draining().begin();
      for (Reading reading : List.of(following, waiting)) {
        reading
            .awaitRefusal()
            .mustBe(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_SERVER_DRAINING);
      }
      Wait.until("nobody is registered", () -> !leaving.changes().isWatched());
      Reading resumed =
          Reading.of(parts.channel(), stream.follow().setStartIndex(3)).awaitCaughtUp();
      stream.put(3, "3").complete("stop");
      resumed.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
      assertEquals(List.of("3"), resumed.texts());
    }
  }

  /** B033 */
  @Test
  void followers_outlive_the_connections_to_the_database() {
    stream.putNumbers(0, 3);
    Reading reading = follow().awaitCaughtUp();
    for (int i = 3; i < 6; i++) {
      execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
      putThroughOutage(i);
      reading.awaitSegments(i + 1);
    }
    stream.complete("stop");
    reading.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
    assertEquals(List.of("0", "1", "2", "3", "4", "5"), reading.texts());
  }

  /** As a writer does it: what is not certain is sent again. */
  private void putThroughOutage(int index) {
    Wait.until(
        "segment " + index + " is stored",
        () -> {
          try {
            stream.put(index, Integer.toString(index));
            return true;
          } catch (io.grpc.StatusRuntimeException e) {
            assertEquals(Status.Code.UNAVAILABLE, e.getStatus().getCode());
            return false;
          }
        });
  }

  /** B035: a token comes with its commit, not with the next look at the table. */
  @Test
  void what_a_lane_here_commits_needs_no_look_at_the_table() {
    try (SegmentParts unwatched = SegmentParts.withoutWatch(database)) {
      TestStream local = new TestStream(unwatched.channel()).put(0, "0");
      Reading reading = Reading.of(unwatched.channel(), local.follow()).awaitCaughtUp();
      for (int i = 1; i < 50; i++) {
        local.put(i, Integer.toString(i));
        reading.awaitSegments(i + 1);
      }
      local.complete("stop");
      reading.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
    }
  }

  private long streamId() {
    StreamHeads heads = new StreamHeads();
    try (Connection connection = TestPostgres.connect(database)) {
      Head head = heads.find(connection, stream.streamKey());
      return head == null ? -1 : head.streamId();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private void threeExtents() {
    stream.put(0, "a", "b").put(2, "c", "d").put(4, "e", "f");
  }

  /** B011: what came before is sent, and never success with a hole. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_changed_byte_is_data_loss(boolean follow) {
    threeExtents();
    execute(
        "UPDATE extents SET data = set_byte(data, 4, 0) WHERE stream_id = ? AND first_index = 2",
        streamId());
    Reading reading = Reading.of(parts.channel(), stream.read().setFollow(follow));
    reading
        .awaitRefusal()
        .mustBe(
            Status.Code.DATA_LOSS,
            ErrorReason.ERROR_REASON_CORRUPT_EXTENT,
            "stream_key",
            stream.key(),
            "index",
            "2");
    assertEquals(List.of("a", "b"), reading.texts());
    Reading behind = Reading.of(parts.channel(), stream.read().setStartIndex(4));
    behind.awaitEnd(ReadEndReason.READ_END_REASON_STILL_OPEN);
    assertEquals(List.of("e", "f"), behind.texts());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 4})
  void a_missing_extent_is_data_loss(int firstIndex) {
    threeExtents();
    execute("DELETE FROM extents WHERE stream_id = ? AND first_index = ?", streamId(), firstIndex);
    Reading reading = Reading.of(parts.channel(), stream.read());
    reading
        .awaitRefusal()
        .mustBe(
            Status.Code.DATA_LOSS,
            ErrorReason.ERROR_REASON_CORRUPT_EXTENT,
            "index",
            Integer.toString(firstIndex));
    assertEquals(firstIndex, reading.count());
  }

  @Test
  void a_wrong_count_is_data_loss() {
    threeExtents();
    execute(
        "UPDATE extents SET segment_count = 3 WHERE stream_id = ? AND first_index = 4", streamId());
    Reading reading = Reading.of(parts.channel(), stream.read());
    reading
        .awaitRefusal()
        .mustBe(Status.Code.DATA_LOSS, ErrorReason.ERROR_REASON_CORRUPT_EXTENT, "index", "4");
    assertEquals(List.of("a", "b", "c", "d"), reading.texts());
  }

  @Test
  void a_format_that_is_not_known_is_data_loss() {
    threeExtents();
    execute("UPDATE extents SET format = 2 WHERE stream_id = ? AND first_index = 0", streamId());
    Reading.of(parts.channel(), stream.read())
        .awaitRefusal()
        .mustBe(Status.Code.DATA_LOSS, ErrorReason.ERROR_REASON_CORRUPT_EXTENT, "index", "0");
  }

  @Test
  void a_hole_in_a_stream_that_was_deleted_is_its_deletion() {
    threeExtents();
    Reading reading = Reading.ofOneThatDoesNotRead(parts.channel(), stream.follow());
    Wait.until("the reader follows", () -> parts.changes().isWatched());
    execute("UPDATE streams SET state = 'DELETED' WHERE stream_id = ?", streamId());
    execute("DELETE FROM extents WHERE stream_id = ?", streamId());
    reading.take(Integer.MAX_VALUE);
    reading.awaitEnd(ReadEndReason.READ_END_REASON_DELETED);
  }

  @Test
  void a_stream_whose_row_has_gone_is_deleted() {
    threeExtents();
    Reading reading = follow().awaitCaughtUp();
    long streamId = streamId();
    execute("DELETE FROM extents WHERE stream_id = ?", streamId);
    execute("DELETE FROM streams WHERE stream_id = ?", streamId);
    execute("INSERT INTO stream_notices (bucket, stream_id) VALUES (0, ?)", streamId);
    reading.awaitEnd(ReadEndReason.READ_END_REASON_DELETED);
  }

  /** Pages are bounded by bytes, not by rows. */
  @Test
  void large_and_small_extents_are_read_in_turn() {
    Segment large = Segment.newBuilder().setText("y".repeat(700_000)).build();
    for (int i = 0; i < 12; i++) {
      stream.put(i, List.of(i % 4 == 0 ? large : TestStream.segment("z")));
    }
    Reading reading = Reading.of(parts.channel(), stream.read());
    reading.awaitEnd(ReadEndReason.READ_END_REASON_STILL_OPEN);
    assertEquals(
        IntStream.range(0, 12).mapToObj(i -> i % 4 == 0 ? 700_000 : 1).toList(),
        reading.texts().stream().map(String::length).toList());
    assertFalse(reading.events().size() < 4, "in several messages");
  }
}

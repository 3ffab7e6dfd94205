package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.database.Database;
import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.database.Transactions;
import io.agentjournal.segment.CompactionStore.Compacted;
import io.agentjournal.segment.CompactionStore.Looked;
import io.agentjournal.segment.CompactionStore.Unsound;
import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.PutSegmentsResponse;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc.SegmentServiceBlockingStub;
import io.grpc.Status;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams at rest: other rows, and nothing that anybody could notice. */
final class StreamCompactionTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  @SuppressWarnings("NullAway.Init")
  private static DatabaseAddress database;

  @SuppressWarnings("NullAway.Init")
  private static SegmentParts parts;

  @SuppressWarnings("NullAway.Init")
  private static Database pool;

  @SuppressWarnings("NullAway.Init")
  private static CompactionStore store;

  private final TestStream stream = new TestStream(parts.channel());
  private final SegmentServiceBlockingStub stub =
      SegmentServiceGrpc.newBlockingStub(parts.channel());

  @BeforeAll
  static void start() {
    // Of its own: all that has ended in it is compacted.
    database = POSTGRES.emptyDatabase();
    parts = new SegmentParts(database);
    pool = new Database(database, 3);
    store = new CompactionStore(new Transactions(pool));
  }

  @AfterAll
  static void stop() {
    pool.close();
    parts.close();
  }

  /** Segments as they come: in messages of many sizes, empty and binary ones among them. */
  private List<Segment> written(int count, Random random) {
    List<Segment> segments = new ArrayList<>();
    while (segments.size() < count) {
      List<Segment> message = new ArrayList<>();
      int size = 1 + random.nextInt(60);
      for (int i = 0; i < size; i++) {
        message.add(segment(random));
      }
      stream.put(segments.size(), message);
      segments.addAll(message);
    }
    return segments;
  }

  private static Segment segment(Random random) {
    byte[] data = new byte[random.nextInt(60)];
    random.nextBytes(data);
    return switch (random.nextInt(4)) {
      case 0 -> Segment.newBuilder().setData(ByteString.copyFrom(data)).build();
      case 1 -> TestStream.segment("\0" + data.length);
      default -> TestStream.segment(" token " + random.nextInt(50));
    };
  }

  private static Compacted compacted(TestStream stream) {
    return store.compact(stream.streamKey().bucket(), streamId(stream));
  }

  private static long streamId(TestStream stream) {
    return count("SELECT stream_id FROM streams WHERE stream_key = ?", stream.key());
  }

  private static long rows(String table, TestStream stream) {
    return count(
        "SELECT count(*) FROM "
            + table
            + " WHERE stream_id = (SELECT stream_id FROM streams WHERE stream_key = ?)",
        stream.key());
  }

  private static long count(String sql, Object... parameters) {
    try (Connection connection = TestPostgres.connect(database)) {
      return count(connection, sql, parameters);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static long count(Connection connection, String sql, Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      if (!statement.execute()) {
        return statement.getUpdateCount();
      }
      try (ResultSet row = statement.getResultSet()) {
        assertTrue(row.next());
        return row.getLong(1);
      }
    }
  }

  private List<Segment> read(ReadSegmentsRequest.Builder request) {
    Reading reading = Reading.of(parts.channel(), request);
    var unused = reading.awaitEnd();
    return reading.segments();
  }

  private PutSegmentsResponse put(long firstIndex, List<Segment> segments) {
    return stub.putSegments(
        PutSegmentsRequest.newBuilder()
            .setOpen(stream.open())
            .setFirstIndex(firstIndex)
            .addAllSegments(segments)
            .build());
  }

  @Test
  void a_compacted_stream_is_read_as_it_was_written() {
    List<Segment> written = written(3_000, new Random(1));
    int end = written.size();
    stream.complete("stop");
    assertTrue(compacted(stream).isDone());
    assertEquals(0, rows("extents", stream));
    assertTrue(rows("compact_extents", stream) > 1);
    assertEquals(written, read(stream.read()));
    assertEquals(written, read(stream.follow()));
    for (int start : new int[] {1, 7, 999, 1_500, end - 1}) {
      assertEquals(written.subList(start, end), read(stream.read().setStartIndex(start)));
      assertEquals(
          written.subList(start, Math.min(start + 40, end)),
          read(stream.read().setStartIndex(start).setLimit(40)));
    }
    assertEquals(written.subList(end - 100, end), read(stream.read().setLast(100)));
    assertEquals(List.of(), read(stream.read().setStartIndex(end)));
  }

  @Test
  void its_rows_are_few_and_bounded() {
    int messages = 200;
    for (int i = 0; i < messages; i++) {
      stream.put(
          i * 10L, IntStream.range(0, 10).mapToObj(n -> "token " + n).toArray(String[]::new));
    }
    stream.put(messages * 10L, "x".repeat(200_000)).complete("stop");
    Compacted compacted = compacted(stream);
    assertEquals(messages * 10 + 1, compacted.segments());
    assertEquals(messages + 1, compacted.rowsBefore());
    assertEquals(rows("compact_extents", stream), compacted.rowsAfter());
    assertTrue(compacted.rowsAfter() < 5, compacted.toString());
    assertTrue(compacted.bytesAfter() < 20_000, compacted.toString());
    assertEquals(
        0,
        count(
            """
            SELECT count(*) FROM compact_extents
             WHERE plain_bytes > 32768 AND segment_count > 1
                OR octet_length(data) > plain_bytes
            """));
  }

  /** Rows of a few bytes, and of what cannot be made smaller. */
  @Test
  void what_does_not_get_smaller_stays_as_it_is() {
    byte[] noise = new byte[20_000];
    new Random(2).nextBytes(noise);
    Segment segment = Segment.newBuilder().setData(ByteString.copyFrom(noise)).build();
    stream.put(0, List.of(segment)).complete("stop");
    TestStream tiny = new TestStream(parts.channel()).put(0, "a").complete("stop");
    var first = compacted(stream);
    var second = compacted(tiny);
    assertTrue(first.isDone() && second.isDone());
    assertEquals(List.of(segment), read(stream.read()));
    assertEquals(List.of(TestStream.segment("a")), read(tiny.read()));
    assertEquals(
        2,
        count(
            "SELECT count(*) FROM compact_extents WHERE format = 1 AND stream_id IN (?, ?)",
            streamId(stream),
            streamId(tiny)));
  }

  /** 700 KB are a stretch. */
  private List<Segment> partlyCompacted() {
    List<Segment> written = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      List<Segment> message =
          List.of(
              TestStream.segment(Integer.toString(i).repeat(700_000)),
              TestStream.segment("small " + i));
      stream.put(written.size(), message);
      written.addAll(message);
    }
    stream.complete("stop");
    assertFalse(compacted(stream).isDone());
    assertTrue(rows("extents", stream) > 0);
    assertTrue(rows("compact_extents", stream) > 0);
    return written;
  }

  @Test
  void a_stream_that_is_compacted_in_part_is_read_whole() {
    List<Segment> written = partlyCompacted();
    for (int start = 0; start < written.size(); start++) {
      assertEquals(
          written.subList(start, written.size()), read(stream.read().setStartIndex(start)));
    }
    Wait.until("all of it is compacted", () -> compacted(stream).isDone());
    assertEquals(0, rows("extents", stream));
    assertEquals(written, read(stream.read()));
  }

  @Test
  void repeated_appends_are_judged_as_before() {
    List<Segment> written = partlyCompacted();
    judgeRepeats(written);
    Wait.until("all of it is compacted", () -> compacted(stream).isDone());
    judgeRepeats(written);
    stream.complete("stop");
    Refused.from(() -> stream.complete("length"))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STREAM_ENDED);
    Refused.from(() -> put(written.size(), List.of(TestStream.segment("more"))))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STREAM_ENDED);
  }

  private void judgeRepeats(List<Segment> written) {
    for (int from = 0; from < written.size(); from++) {
      for (int to = from + 1; to <= Math.min(from + 3, written.size()); to++) {
        PutSegmentsResponse answer = put(from, written.subList(from, to));
        assertEquals(to - from, answer.getDuplicates());
        assertEquals(0, answer.getAppended());
      }
    }
    for (int index : new int[] {1, 3, 5, 9}) {
      Refused.from(() -> put(index - 1, List.of(written.get(index - 1), TestStream.segment("?"))))
          .mustBe(
              Status.Code.ALREADY_EXISTS,
              ErrorReason.ERROR_REASON_SEGMENT_CONFLICT,
              "index",
              Integer.toString(index));
    }
  }

  @Test
  void a_stream_that_is_open_or_has_just_ended_is_left_alone() {
    stream.putNumbers(0, 10);
    assertEquals(0, compacted(stream).segments());
    assertFalse(isRipe(Duration.ZERO));
    stream.complete("stop");
    assertTrue(isRipe(Duration.ZERO));
    assertFalse(isRipe(Duration.ofHours(1)));
    var unused =
        count(
            "UPDATE streams SET ended_at = ended_at - interval '61 min' WHERE stream_key = ?",
            stream.key());
    assertTrue(isRipe(Duration.ofHours(1)));
    assertEquals(10, compacted(stream).segments());
    assertFalse(isRipe(Duration.ZERO));
  }

  private boolean isRipe(Duration age) {
    long after = 0;
    boolean found = false;
    Looked looked;
    do {
      looked = store.look(stream.streamKey().bucket(), after, age);
      found |= looked.ripe().contains(streamId(stream));
      after = looked.last() == null ? 0 : looked.last();
    } while (looked.last() != null);
    return found;
  }

  @Test
  void a_stream_whose_head_is_locked_is_passed_over() throws SQLException {
    stream.putNumbers(0, 10).complete("stop");
    try (Connection connection = TestPostgres.connect(database)) {
      connection.setAutoCommit(false);
      var unused =
          count(
              connection,
              "SELECT 1 FROM streams WHERE stream_key = ? FOR NO KEY UPDATE",
              stream.key());
      assertEquals(Compacted.NOTHING, compacted(stream));
      connection.rollback();
    }
    assertEquals(10, compacted(stream).segments());
  }

  /** What is compacted leaves one table for the other: they are looked at in this order. */
  @Test
  void a_reader_of_what_is_not_compacted_does_not_look_where_it_would_be() throws SQLException {
    stream.putNumbers(0, 10).complete("stop");
    try (Connection connection = TestPostgres.connect(database)) {
      connection.setAutoCommit(false);
      var unused = count(connection, "LOCK TABLE compact_extents IN ACCESS EXCLUSIVE MODE");
      assertEquals(10, read(stream.read()).size());
    }
  }

  @Test
  void a_reader_whose_stream_is_compacted_between_its_looks_misses_nothing() throws SQLException {
    stream.putNumbers(0, 2_000).complete("stop");
    assertTrue(compacted(stream).isDone());
    Reading reading;
    try (Connection connection = TestPostgres.connect(database)) {
      connection.setAutoCommit(false);
      var unused = count(connection, "LOCK TABLE compact_extents IN ACCESS EXCLUSIVE MODE");
      reading = Reading.of(parts.channel(), stream.read());
      Wait.until(
          "the reader has found nothing in the one table and waits for the other",
          () ->
              count(
                      """
                      SELECT count(*) FROM pg_stat_activity
                       WHERE datname = current_database() AND wait_event_type = 'Lock'
                         AND query LIKE '%FROM compact_extents%'
                      """)
                  == 1);
    }
    var end = reading.awaitEnd();
    assertEquals(2_000, end.getNextIndex());
    assertEquals(2_000, reading.count());
  }

  @Test
  void a_reader_goes_on_where_it_was_when_its_stream_is_compacted_between_pages() {
    String text = "t".repeat(1_000);
    for (int first = 0; first < 4_000; first += 500) {
      stream.put(
          first,
          IntStream.range(first, first + 500).mapToObj(i -> TestStream.segment(i + text)).toList());
    }
    stream.complete("stop");
    Reading reading = Reading.ofOneThatDoesNotRead(parts.channel(), stream.follow());
    reading.take(1);
    var unused = reading.awaitSegments(1);
    assertTrue(reading.count() < 4_000);
    Wait.until("compacted", () -> compacted(stream).isDone());
    reading.take(Integer.MAX_VALUE);
    var end = reading.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
    assertEquals(4_000, end.getNextIndex());
    assertEquals(IntStream.range(0, 4_000).mapToObj(i -> i + text).toList(), reading.texts());
  }

  /** Two servers at once, and readers all the while. */
  @Test
  void readers_and_two_servers_that_compact_do_not_get_in_each_others_way() {
    List<TestStream> streams =
        IntStream.range(0, 30).mapToObj(i -> new TestStream(parts.channel())).toList();
    streams.forEach(each -> each.putNumbers(0, 3_000).complete("stop"));
    CompletableFuture<Integer> readers =
        CompletableFuture.supplyAsync(
            () -> {
              int reads = 0;
              boolean wasCompact = false;
              while (!wasCompact) {
                wasCompact = streams.stream().allMatch(each -> rows("extents", each) == 0);
                for (TestStream each : streams) {
                  assertEquals(3_000, read(each.read()).size());
                  reads++;
                }
              }
              return reads;
            });
    duringCompaction(
        () ->
            duringCompaction(
                () -> assertTrue(readers.orTimeout(60, TimeUnit.SECONDS).join() >= 30)));
    streams.forEach(each -> assertEquals(List.of("0", "2999"), firstAndLast(each)));
  }

  private static void duringCompaction(Runnable what) {
    Database other = new Database(database, 1);
    StreamCompaction compaction = new StreamCompaction(new Transactions(other), Duration.ZERO, 100);
    try {
      what.run();
    } finally {
      compaction.close();
      other.close();
    }
  }

  private List<String> firstAndLast(TestStream of) {
    List<Segment> all = read(of.read());
    assertEquals(3_000, all.size());
    return List.of(all.get(0).getText(), all.get(2_999).getText());
  }

  @Test
  void what_is_compacted_is_deleted_with_its_stream() {
    List<Segment> written = partlyCompacted();
    assertFalse(written.isEmpty());
    long streamId = streamId(stream);
    assertTrue(
        stub.deleteStream(DeleteStreamRequest.newBuilder().setStreamKey(stream.key()).build())
            .getApplied());
    assertEquals(0, rows("extents", stream));
    assertEquals(0, rows("compact_extents", stream));
    assertEquals(Compacted.NOTHING, store.compact(stream.streamKey().bucket(), streamId));
    Reading reading = Reading.of(parts.channel(), stream.read());
    var unused = reading.awaitEnd(ReadEndReason.READ_END_REASON_DELETED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE extents SET data = set_byte(data, 4, 0) WHERE stream_id = ? AND first_index = 2",
        "UPDATE extents SET segment_count = 3 WHERE stream_id = ? AND first_index = 4",
        "UPDATE extents SET format = 9 WHERE stream_id = ? AND first_index = 0",
        "DELETE FROM extents WHERE stream_id = ? AND first_index = 2",
        "DELETE FROM extents WHERE stream_id = ? AND first_index = 4"
      })
  void stored_bytes_that_are_not_what_was_written_stay_as_they_are(String damage) {
    stream.put(0, "a", "b").put(2, "c", "d").put(4, "e", "f").complete("stop");
    long changed = count(damage, streamId(stream));
    assertEquals(1, changed);
    long before = rows("extents", stream);
    if (damage.endsWith("first_index = 4") && damage.startsWith("DELETE")) {
      // The end is missing: what is there can be compacted, and what is not is found then.
      assertFalse(compacted(stream).isDone());
      assertThrows(Unsound.class, () -> compacted(stream));
      return;
    }
    assertThrows(Unsound.class, () -> compacted(stream));
    assertEquals(before, rows("extents", stream));
    assertEquals(0, rows("compact_extents", stream));
  }

  @Test
  void a_stream_that_cannot_be_compacted_does_not_keep_others_from_it() {
    stream.put(0, "a", "b").complete("stop");
    assertEquals(1, count("UPDATE extents SET checksum = 0 WHERE stream_id = ?", streamId(stream)));
    List<TestStream> others =
        IntStream.range(0, 300)
            .mapToObj(i -> new TestStream(parts.channel()).put(0, "a").complete("stop"))
            .toList();
    duringCompaction(
        () ->
            Wait.until(
                "all others are compacted",
                () -> others.stream().allMatch(each -> rows("extents", each) == 0)));
    assertEquals(1, rows("extents", stream));
  }

  @Test
  void a_changed_byte_at_rest_is_data_loss_for_this_stream_alone() {
    stream.putNumbers(0, 5_000).complete("stop");
    assertTrue(compacted(stream).isDone());
    long second =
        count(
            "SELECT first_index FROM compact_extents WHERE stream_id = ? ORDER BY 1 OFFSET 1 LIMIT 1",
            streamId(stream));
    var unused =
        count(
            "UPDATE compact_extents SET data = set_byte(data, 40, 255 - get_byte(data, 40))"
                + " WHERE stream_id = ? AND first_index = ?",
            streamId(stream),
            second);
    Reading reading = Reading.of(parts.channel(), stream.read());
    reading
        .awaitRefusal()
        .mustBe(
            Status.Code.DATA_LOSS,
            ErrorReason.ERROR_REASON_CORRUPT_EXTENT,
            "index",
            Long.toString(second));
    assertEquals(second, reading.count());
    Refused.from(() -> put(second, List.of(TestStream.segment("?"))))
        .mustBe(Status.Code.DATA_LOSS, ErrorReason.ERROR_REASON_CORRUPT_EXTENT);
  }
}

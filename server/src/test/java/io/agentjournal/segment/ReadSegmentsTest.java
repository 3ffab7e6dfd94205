package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.ReadEnd;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.Status;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One test for each sentence about ReadSegments, on one server. */
final class ReadSegmentsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final TestStream stream = new TestStream(JOURNAL.channel());

  private static Reading read(ReadSegmentsRequest.Builder request) {
    return Reading.of(JOURNAL.channel(), request);
  }

  @Test
  void without_follow_what_is_stored_is_sent_and_the_end_says_still_open() {
    stream.put(0, "a", "b").put(2, "c");
    Reading reading = read(stream.read());
    ReadEnd end = reading.awaitEnd(ReadEndReason.READ_END_REASON_STILL_OPEN);
    assertEquals(3, end.getNextIndex());
    assertEquals(List.of("a", "b", "c"), reading.texts());
    assertEquals(0, reading.firstIndex());
  }

  /** B009 */
  @Test
  void a_follower_from_zero_gets_what_is_stored_and_then_what_comes() {
    stream.putNumbers(0, 5);
    Reading reading = read(stream.follow()).awaitCaughtUp();
    assertEquals(List.of("0", "1", "2", "3", "4"), reading.texts());
    stream.put(5, "5");
    reading.awaitSegments(6);
    stream.put(6, "6").complete("stop");
    ReadEnd end = reading.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
    assertEquals("stop", end.getFinishReason());
    assertEquals(7, end.getNextIndex());
    assertEquals(List.of("0", "1", "2", "3", "4", "5", "6"), reading.texts());
  }

  @Test
  void caught_up_is_said_once_and_where() {
    stream.putNumbers(0, 3);
    Reading reading = read(stream.follow()).awaitCaughtUp();
    stream.put(3, "3");
    reading.awaitSegments(4);
    stream.complete("stop");
    reading.awaitEnd();
    List<ReadSegmentsResponse> told =
        reading.events().stream().filter(ReadSegmentsResponse::hasCaughtUp).toList();
    assertEquals(1, told.size());
    assertEquals(3, told.get(0).getCaughtUp().getNextIndex());
  }

  /** B036, B049 */
  @Test
  void a_reader_that_resumes_at_its_next_index_gets_nothing_twice() {
    stream.putNumbers(0, 60);
    Reading reading = read(stream.read().setStartIndex(42));
    reading.awaitEnd(ReadEndReason.READ_END_REASON_STILL_OPEN);
    assertEquals(42, reading.firstIndex());
    assertEquals(18, reading.count());
    assertEquals("42", reading.texts().get(0));
  }

  /** B038 */
  @Test
  void a_complete_stream_is_replayed_and_then_ends() {
    stream.putNumbers(0, 10).complete("length");
    for (int i = 0; i < 2; i++) {
      Reading reading = read(stream.follow());
      ReadEnd end = reading.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
      assertEquals("length", end.getFinishReason());
      assertEquals(10, reading.count());
    }
  }

  /** B044 */
  @Test
  void a_failed_stream_is_sent_whole_and_then_its_failure() {
    stream.putNumbers(0, 5).fail("provider_overloaded", "529");
    Reading reading = read(stream.read());
    ReadEnd end = reading.awaitEnd(ReadEndReason.READ_END_REASON_FAILED);
    assertEquals(
        Failure.newBuilder().setCode("provider_overloaded").setMessage("529").build(),
        end.getFailure());
    assertEquals(5, reading.count());
  }

  @Test
  void the_last_so_many_are_counted_when_the_call_arrives() {
    stream.putNumbers(0, 10);
    Reading reading = read(stream.read().setLast(3));
    reading.awaitEnd(ReadEndReason.READ_END_REASON_STILL_OPEN);
    assertEquals(List.of("7", "8", "9"), reading.texts());
    assertEquals(7, reading.firstIndex());
  }

  @Test
  void the_last_of_more_than_there_is_begin_at_zero() {
    stream.putNumbers(0, 3);
    Reading reading = read(stream.read().setLast(100));
    reading.awaitEnd();
    assertEquals(List.of("0", "1", "2"), reading.texts());
  }

  @Test
  void the_last_none_is_only_what_comes() {
    stream.putNumbers(0, 10);
    Reading reading = read(stream.follow().setLast(0)).awaitCaughtUp();
    stream.put(10, "10").complete("stop");
    reading.awaitEnd();
    assertEquals(List.of("10"), reading.texts());
  }

  /** B051 */
  @Test
  void a_limit_of_exactly_what_is_left_ends_clean() {
    stream.putNumbers(0, 10);
    Reading reading = read(stream.follow().setStartIndex(4).setLimit(6));
    ReadEnd end = reading.awaitEnd(ReadEndReason.READ_END_REASON_LIMIT_REACHED);
    assertEquals(10, end.getNextIndex());
    assertEquals(6, reading.count());
  }

  @Test
  void a_limit_within_an_extent_cuts_it() {
    stream.putNumbers(0, 10);
    Reading reading = read(stream.read().setStartIndex(3).setLimit(2));
    ReadEnd end = reading.awaitEnd(ReadEndReason.READ_END_REASON_LIMIT_REACHED);
    assertEquals(5, end.getNextIndex());
    assertEquals(List.of("3", "4"), reading.texts());
  }

  @Test
  void a_limit_is_also_met_by_what_comes() {
    Reading reading = read(stream.put(0, "0").follow().setLimit(3)).awaitCaughtUp();
    stream.put(1, "1", "2", "3");
    reading.awaitEnd(ReadEndReason.READ_END_REASON_LIMIT_REACHED);
    assertEquals(List.of("0", "1", "2"), reading.texts());
  }

  @Test
  void a_stream_that_ends_before_the_limit_says_so() {
    stream.putNumbers(0, 2).complete("stop");
    read(stream.read().setLimit(3)).awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
  }

  @Test
  void a_start_at_the_next_index_is_no_error() {
    stream.putNumbers(0, 2);
    ReadEnd end =
        read(stream.read().setStartIndex(2)).awaitEnd(ReadEndReason.READ_END_REASON_STILL_OPEN);
    assertEquals(2, end.getNextIndex());
  }

  @Test
  void a_start_beyond_the_next_index_is_refused() {
    stream.putNumbers(0, 2);
    read(stream.follow().setStartIndex(3))
        .awaitRefusal()
        .mustBe(
            Status.Code.OUT_OF_RANGE,
            ErrorReason.ERROR_REASON_START_PAST_END,
            "stream_key",
            stream.key(),
            "start_index",
            "3",
            "next_index",
            "2");
  }

  @Test
  void a_stream_that_is_not_there_is_refused() {
    read(stream.follow())
        .awaitRefusal()
        .mustBe(
            Status.Code.NOT_FOUND,
            ErrorReason.ERROR_REASON_STREAM_NOT_FOUND,
            "stream_key",
            stream.key());
  }

  /** B043 */
  @Test
  void a_reader_waits_for_a_stream_that_is_not_there_yet() {
    Reading reading = read(stream.follow().setWaitForStream(true).setLast(1));
    stream.put(0, "a", "b").complete("stop");
    reading.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
    assertEquals(2, reading.count());
  }

  @Test
  void payloads_come_back_exactly_as_what_they_were_sent() {
    List<Segment> sent =
        List.of(
            Segment.newBuilder().setText("nul \0 and \uD83D\uDE00").build(),
            Segment.newBuilder().setData(bytes(0xF0, 0x9F)).build(),
            Segment.newBuilder().setData(bytes(0x98, 0x80)).build(),
            Segment.newBuilder().setData(ByteString.copyFromUtf8("text")).build(),
            Segment.newBuilder().setText("").build(),
            Segment.newBuilder().setData(ByteString.EMPTY).build());
    stream.put(0, sent);
    Reading reading = read(stream.read());
    reading.awaitEnd();
    assertEquals(sent, reading.segments());
  }

  private static ByteString bytes(int... bytes) {
    byte[] data = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      data[i] = (byte) bytes[i];
    }
    return ByteString.copyFrom(data);
  }

  /** B072 */
  @Test
  void every_message_is_smaller_than_4_mib() {
    Segment large = Segment.newBuilder().setText("x".repeat(1 << 20)).build();
    for (int i = 0; i < 9; i += 3) {
      stream.put(i, List.of(large, large, large));
    }
    Reading reading = read(stream.read());
    reading.awaitEnd();
    assertEquals(9, reading.count());
    reading
        .events()
        .forEach(event -> assertTrue(event.getSerializedSize() < 4 << 20, "message size"));
  }

  @Test
  void a_follower_gets_every_segment_that_is_appended_meanwhile() {
    Reading reading = read(stream.follow().setWaitForStream(true));
    stream.putNumbers(0, 100_000).complete("stop");
    reading.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
    assertEquals(IntStream.range(0, 100_000).mapToObj(Integer::toString).toList(), reading.texts());
  }

  @Test
  void heartbeats_come_while_a_follower_waits() {
    stream.putNumbers(0, 2);
    Reading reading =
        read(stream.follow().setHeartbeat(Duration.newBuilder().setSeconds(1))).awaitCaughtUp();
    Wait.until("two heartbeats", () -> heartbeats(reading).size() >= 2);
    assertEquals(2, heartbeats(reading).get(0).getHeartbeat().getNextIndex());
    stream.complete("stop");
    reading.awaitEnd();
  }

  private static List<ReadSegmentsResponse> heartbeats(Reading reading) {
    return reading.events().stream().filter(ReadSegmentsResponse::hasHeartbeat).toList();
  }

  @Test
  void a_deleted_stream_ends_its_followers() {
    stream.putNumbers(0, 2);
    Reading reading = read(stream.follow()).awaitCaughtUp();
    var unused =
        SegmentServiceGrpc.newBlockingStub(JOURNAL.channel())
            .deleteStream(DeleteStreamRequest.newBuilder().setStreamKey(stream.key()).build());
    reading.awaitEnd(ReadEndReason.READ_END_REASON_DELETED);
    read(stream.read()).awaitEnd(ReadEndReason.READ_END_REASON_DELETED);
    read(stream.read().setWaitForStream(true)).awaitEnd(ReadEndReason.READ_END_REASON_DELETED);
  }

  @Test
  void values_out_of_range_are_refused() {
    invalid(stream.read().setStartIndex(-1), "start_index");
    invalid(stream.read().setLast(-1), "last");
    invalid(stream.read().setLimit(0), "limit");
    invalid(stream.read().setHeartbeat(Duration.newBuilder().setNanos(999_999_999)), "heartbeat");
    invalid(
        stream.read().setHeartbeat(Duration.newBuilder().setSeconds(9_223_372_037L)), "heartbeat");
    invalid(stream.read().setStreamKey(""), "stream_key");
    invalid(stream.read().setStreamKey("a\0b"), "stream_key");
  }

  private static void invalid(ReadSegmentsRequest.Builder request, String field) {
    Refused refused = read(request).awaitRefusal();
    refused.mustBe(
        Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", field);
  }

  @Test
  void a_reader_waits_for_a_stream_until_shortly_before_its_deadline() {
    Reading reading =
        Reading.withDeadline(JOURNAL.channel(), stream.read().setWaitForStream(true), 2_000);
    reading
        .awaitRefusal()
        .mustBe(
            Status.Code.NOT_FOUND,
            ErrorReason.ERROR_REASON_STREAM_NOT_FOUND,
            "stream_key",
            stream.key());
  }
}

package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.Stream;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.StreamState;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How an append is judged: the same in every way to send it, and in both forms in which a server
 * may commit it.
 */
@ParameterizedClass
@CsvSource({
  "APPEND_SEGMENTS, false",
  "APPEND_SESSION, false",
  "PUT_SEGMENTS, false",
  "APPEND_SEGMENTS, true",
  "APPEND_SESSION, true",
  "PUT_SEGMENTS, true"
})
final class AppendRulesTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();
  private static JournalServer perBucket;
  private static ManagedChannel perBucketChannel;

  private final Way way;
  private final boolean flushesPerBucket;
  private final TestStream stream = new TestStream(JOURNAL.channel());
  private final StreamOpen open = stream.open();

  AppendRulesTest(Way way, boolean flushesPerBucket) {
    this.way = way;
    this.flushesPerBucket = flushesPerBucket;
  }

  @BeforeAll
  static void startServer() {
    perBucket = JOURNAL.anotherServer("--flush-per-bucket");
    perBucketChannel = JournalExtension.channelTo(perBucket);
  }

  @AfterAll
  static void endServer() {
    perBucketChannel.shutdownNow();
    perBucket.close();
  }

  private Channel channel() {
    return flushesPerBucket ? perBucketChannel : JOURNAL.channel();
  }

  private static AppendSegmentsRequest message(StreamOpen open, long first, String... texts) {
    return AppendSegmentsRequest.newBuilder()
        .setOpen(open)
        .setFirstIndex(first)
        .addAllSegments(java.util.stream.Stream.of(texts).map(TestStream::segment).toList())
        .build();
  }

  private static AppendSegmentsRequest end(StreamOpen open, StreamEnd.Builder end) {
    return AppendSegmentsRequest.newBuilder().setOpen(open).setEnd(end).build();
  }

  private static StreamEnd.Builder finish(String reason) {
    return StreamEnd.newBuilder().setFinishReason(reason);
  }

  private AppendSegmentsResponse append(AppendSegmentsRequest message) {
    return way.append(channel(), message);
  }

  private AppendSegmentsResponse append(long first, String... texts) {
    return append(message(open, first, texts));
  }

  private Refused refused(AppendSegmentsRequest message) {
    return Refused.from(() -> append(message));
  }

  private Refused refused(long first, String... texts) {
    return refused(message(open, first, texts));
  }

  private Stream get() {
    return get(stream.key());
  }

  private Stream get(String key) {
    return SegmentServiceGrpc.newBlockingStub(channel())
        .getStream(GetStreamRequest.newBuilder().setStreamKey(key).build())
        .getStream();
  }

  private List<Segment> stored(String key) {
    Reading reading = Reading.of(channel(), new TestStream(channel(), key).read());
    reading.awaitEnd();
    return reading.segments();
  }

  private List<String> texts() {
    return stored(stream.key()).stream().map(Segment::getText).toList();
  }

  private static void assertAnswer(
      AppendSegmentsResponse answer, long nextIndex, long appended, long duplicates) {
    assertEquals(nextIndex, answer.getNextIndex());
    assertEquals(appended, answer.getAppended());
    assertEquals(duplicates, answer.getDuplicates());
  }

  @Test
  void the_first_append_opens_a_stand_alone_stream() {
    AppendSegmentsResponse answer = append(0, "a", "b");
    assertAnswer(answer, 2, 2, 0);
    assertEquals(StreamState.STREAM_STATE_OPEN, answer.getState());
    assertEquals(List.of("a", "b"), texts());
  }

  @Test
  void without_segments_and_end_it_opens_and_tells_next_index() {
    assertAnswer(append(AppendSegmentsRequest.newBuilder().setOpen(open).build()), 0, 0, 0);
    assertEquals(StreamState.STREAM_STATE_OPEN, get().getState());
    append(0, "a");
    assertAnswer(append(AppendSegmentsRequest.newBuilder().setOpen(open).build()), 1, 0, 0);
  }

  /** B001, B002, B029 */
  @Test
  void the_same_again_is_a_duplicate_that_succeeds() {
    append(0, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
    assertAnswer(append(0, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"), 10, 0, 10);
    assertAnswer(append(3, "3"), 10, 0, 1);
    assertAnswer(append(8, "8", "9", "10"), 11, 1, 2);
    assertEquals(11, texts().size());
    assertEquals(11, get().getNextIndex());
  }

  /** B031 */
  @Test
  void another_payload_is_a_conflict_that_names_the_index_and_the_first_stays() {
    append(0, "a", "b", "c");
    refused(1, "b", "X", "d")
        .mustBe(
            Status.Code.ALREADY_EXISTS,
            ErrorReason.ERROR_REASON_SEGMENT_CONFLICT,
            "stream_key",
            stream.key(),
            "index",
            "2",
            "next_index",
            "3");
    refused(0, "longer than it was")
        .mustBe(
            Status.Code.ALREADY_EXISTS, ErrorReason.ERROR_REASON_SEGMENT_CONFLICT, "index", "0");
    assertEquals(List.of("a", "b", "c"), texts());
  }

  @Test
  void the_same_bytes_as_data_are_another_payload_than_as_text() {
    append(0, "a");
    AppendSegmentsRequest data =
        AppendSegmentsRequest.newBuilder()
            .setOpen(open)
            .setFirstIndex(0)
            .addSegments(Segment.newBuilder().setData(ByteString.copyFromUtf8("a")))
            .build();
    assertEquals(ErrorReason.ERROR_REASON_SEGMENT_CONFLICT, refused(data).reason());
  }

  /** B027 */
  @Test
  void an_index_above_next_index_is_a_gap_that_names_the_expected_one() {
    append(0, "0", "1", "2");
    assertAnswer(append(2, "2"), 3, 0, 1);
    refused(5, "5")
        .mustBe(
            Status.Code.OUT_OF_RANGE,
            ErrorReason.ERROR_REASON_SEGMENT_GAP,
            "expected_index",
            "3",
            "index",
            "5",
            "next_index",
            "3");
    assertEquals(List.of("0", "1", "2"), texts());
  }

  @Test
  void a_gap_on_a_new_stream_does_not_open_it() {
    refused(1, "b")
        .mustBe(
            Status.Code.OUT_OF_RANGE, ErrorReason.ERROR_REASON_SEGMENT_GAP, "expected_index", "0");
    assertEquals(ErrorReason.ERROR_REASON_STREAM_NOT_FOUND, Refused.from(this::get).reason());
  }

  /** B082 */
  @Test
  void known_segments_of_an_ended_stream_are_duplicates_and_new_ones_are_refused() {
    append(0, "a", "b");
    append(end(open, finish("stop")));
    assertAnswer(append(0, "a", "b"), 2, 0, 2);
    refused(2, "c")
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STREAM_ENDED,
            "state",
            "COMPLETE",
            "next_index",
            "2",
            "finish_reason",
            "stop");
    refused(1, "b", "c")
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STREAM_ENDED);
    refused(1, "X").mustBe(Status.Code.ALREADY_EXISTS, ErrorReason.ERROR_REASON_SEGMENT_CONFLICT);
    assertEquals(List.of("a", "b"), texts());
  }

  /** B015 */
  @Test
  void the_same_end_again_succeeds_and_another_one_is_refused() {
    append(0, "a");
    AppendSegmentsResponse answer = append(end(open, finish("stop").setExpectedNextIndex(1)));
    assertEquals(StreamState.STREAM_STATE_COMPLETE, answer.getState());
    assertEquals(StreamState.STREAM_STATE_COMPLETE, append(end(open, finish("stop"))).getState());
    refused(end(open, finish("length")))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STREAM_ENDED);
    assertEquals("stop", get().getFinishReason());
  }

  @Test
  void segments_and_end_may_come_in_one_message() {
    AppendSegmentsRequest all =
        message(open, 0, "a", "b").toBuilder()
            .setEnd(finish("stop").setExpectedNextIndex(2))
            .build();
    assertEquals(StreamState.STREAM_STATE_COMPLETE, append(all).getState());
    assertAnswer(append(all), 2, 0, 2);
    assertEquals(List.of("a", "b"), texts());
  }

  /** B014 */
  @Test
  void an_end_is_refused_while_expected_segments_are_missing_and_the_stream_stays_open() {
    append(0, "a");
    refused(
            message(open, 1, "b").toBuilder()
                .setEnd(finish("stop").setExpectedNextIndex(5))
                .build())
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_SEGMENTS_MISSING,
            "expected_next_index",
            "5",
            "next_index",
            "2");
    assertEquals(StreamState.STREAM_STATE_OPEN, get().getState());
    assertEquals(List.of("a", "b"), texts());
  }

  @Test
  void a_failure_ends_the_stream_as_failed_and_keeps_what_it_says() {
    append(0, "half a");
    Failure failure = Failure.newBuilder().setCode("overloaded").setMessage("try\nlater").build();
    AppendSegmentsResponse answer = append(end(open, StreamEnd.newBuilder().setFailure(failure)));
    assertEquals(StreamState.STREAM_STATE_FAILED, answer.getState());
    assertEquals(failure, get().getFailure());
    assertEquals(List.of("half a"), texts());
  }

  /** B058, B064 */
  @Test
  void payloads_come_back_exactly_and_as_what_they_were_sent() {
    ByteString grinning = ByteString.copyFromUtf8("😀");
    List<Segment> segments =
        List.of(
            TestStream.segment("nul \0 inside"),
            TestStream.segment(""),
            Segment.newBuilder().setData(ByteString.EMPTY).build(),
            Segment.newBuilder().setData(grinning.substring(0, 2)).build(),
            Segment.newBuilder().setData(grinning.substring(2)).build(),
            TestStream.segment("👩‍👩‍👧 e\u0301 \uFFFD"),
            Segment.newBuilder().setData(ByteString.copyFrom(new byte[] {0, -1, -2})).build());
    append(
        AppendSegmentsRequest.newBuilder()
            .setOpen(open)
            .setFirstIndex(0)
            .addAllSegments(segments)
            .build());
    assertEquals(segments, stored(stream.key()));
  }

  @Test
  void content_type_is_kept_from_the_call_that_opened_the_stream() {
    append(message(open.toBuilder().setContentType("text/plain").build(), 0, "a"));
    append(message(open.toBuilder().setContentType("application/json").build(), 1, "b"));
    assertEquals("text/plain", get().getContentType());
  }

  /** B099 */
  @Test
  void a_higher_epoch_takes_the_stream_over_and_a_lower_one_is_refused() {
    StreamOpen first = open.toBuilder().setWriterEpoch(0).build();
    StreamOpen second = open.toBuilder().setWriterEpoch(7).build();
    append(message(first, 0, "a"));
    append(message(first, 1, "b"));
    assertAnswer(append(AppendSegmentsRequest.newBuilder().setOpen(second).build()), 2, 0, 0);
    for (AppendSegmentsRequest late :
        List.of(message(first, 2, "c"), message(first, 0, "a"), end(first, finish("stop")))) {
      refused(late)
          .mustBe(
              Status.Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_STALE_EPOCH,
              "stream_key",
              stream.key(),
              "writer_epoch",
              "0",
              "current_epoch",
              "7",
              "next_index",
              "2");
    }
    refused(2, "c").mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_EPOCH);
    append(message(second, 2, "C"));
    assertEquals(List.of("a", "b", "C"), texts());
    assertEquals(7, get().getWriterEpoch());
  }

  @Test
  void a_first_epoch_shuts_out_writers_that_named_none() {
    append(0, "a");
    append(message(open.toBuilder().setWriterEpoch(0).build(), 1, "b"));
    refused(2, "c").mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_EPOCH);
    assertEquals(List.of("a", "b"), texts());
  }

  @Test
  void a_bound_stream_is_written_by_its_attempt_alone() {
    BoundStream bound = new BoundStream(JOURNAL.database());
    append(message(bound.open(), 0, "a"));
    refused(message(StreamOpen.newBuilder().setStreamKey(bound.key()).build(), 1, "b"))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "submission_id",
            bound.attempt().getSubmissionId(),
            "current_attempt_id",
            "attempt",
            "next_index",
            "1");
    StreamOpen epoch = StreamOpen.newBuilder().setStreamKey(bound.key()).setWriterEpoch(3).build();
    assertEquals(ErrorReason.ERROR_REASON_STALE_ATTEMPT, refused(message(epoch, 1, "b")).reason());
    bound.repoint("next attempt");
    refused(message(bound.open(), 1, "b"))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "attempt_id",
            "attempt",
            "current_attempt_id",
            "next attempt",
            "next_index",
            "1");
    AttemptRef next = bound.attempt().toBuilder().setAttemptId("next attempt").build();
    append(message(bound.open().toBuilder().setAttempt(next).build(), 1, "B"));
    assertEquals(List.of("a", "B"), stored(bound.key()).stream().map(Segment::getText).toList());
  }

  @Test
  void the_writer_is_judged_first() {
    BoundStream bound = new BoundStream(JOURNAL.database());
    append(message(bound.open(), 0, "a"));
    bound.repoint("next attempt");
    // A duplicate, a conflict and a gap alike: a fenced writer is to stop.
    for (AppendSegmentsRequest late :
        List.of(
            message(bound.open(), 0, "a"),
            message(bound.open(), 0, "X"),
            message(bound.open(), 9, "j"),
            end(bound.open(), finish("stop")))) {
      assertEquals(ErrorReason.ERROR_REASON_STALE_ATTEMPT, refused(late).reason());
    }
  }

  @Test
  void an_attempt_writes_no_stand_alone_stream_and_opens_none() {
    StreamOpen attempt =
        open.toBuilder()
            .setAttempt(AttemptRef.newBuilder().setSubmissionId("s").setAttemptId("a"))
            .build();
    refused(message(attempt, 0, "a"))
        .mustBe(
            Status.Code.NOT_FOUND,
            ErrorReason.ERROR_REASON_STREAM_NOT_FOUND,
            "stream_key",
            stream.key());
    append(0, "a");
    refused(message(attempt, 1, "b"))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STREAM_NOT_BOUND,
            "next_index",
            "1");
    assertEquals(List.of("a"), texts());
  }

  @Test
  void a_superseded_stream_takes_no_more() {
    BoundStream bound = new BoundStream(JOURNAL.database());
    append(message(bound.open(), 0, "a"));
    bound.supersede();
    refused(message(bound.open(), 1, "b"))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STREAM_ENDED,
            "state",
            "SUPERSEDED",
            "next_index",
            "1");
    assertAnswer(append(message(bound.open(), 0, "a")), 1, 0, 1);
  }

  @Test
  void a_deleted_key_stays_refused() {
    append(0, "a");
    var unused =
        SegmentServiceGrpc.newBlockingStub(channel())
            .deleteStream(DeleteStreamRequest.newBuilder().setStreamKey(stream.key()).build());
    refused(0, "a")
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STREAM_DELETED,
            "stream_key",
            stream.key());
    refused(AppendSegmentsRequest.newBuilder().setOpen(open).build())
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STREAM_DELETED);
    assertEquals(StreamState.STREAM_STATE_DELETED, get().getState());
  }

  @Test
  void a_requested_abort_is_told_and_does_not_stop_the_append() {
    BoundStream bound = new BoundStream(JOURNAL.database());
    append(message(bound.open(), 0, "a"));
    bound.change(connection -> new StreamHeads().requestAbortIfOpen(connection, bound.streamKey()));
    AppendSegmentsResponse answer = append(message(bound.open(), 1, "b"));
    assertEquals(true, answer.getAbortRequested());
    assertEquals(2, get(bound.key()).getNextIndex());
  }

  /** A stock client takes 8 KiB of metadata. */
  @Test
  void refusal_with_long_ids_that_are_not_ascii_reaches_the_caller() {
    StreamOpen japanese =
        StreamOpen.newBuilder().setStreamKey("\u8a9e".repeat(600) + UUID.randomUUID()).build();
    append(message(japanese, 0, "a"));
    refused(message(japanese, 0, "b"))
        .mustBe(Status.Code.ALREADY_EXISTS, ErrorReason.ERROR_REASON_SEGMENT_CONFLICT);
  }
}

package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import io.grpc.Status;
import java.util.Collections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What is refused before the stream is looked at, in every way to send it. */
@ParameterizedClass
@EnumSource(Way.class)
final class AppendLimitsTest {
  private static final int MIB = 1 << 20;

  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final Way way;
  private final TestStream stream = new TestStream(JOURNAL.channel());
  private final StreamOpen open = stream.open();
  private long expectedNextIndex;

  AppendLimitsTest(Way way) {
    this.way = way;
  }

  private AppendSegmentsRequest.Builder message() {
    return AppendSegmentsRequest.newBuilder().setOpen(open);
  }

  private AppendSegmentsRequest.Builder data(int... sizes) {
    AppendSegmentsRequest.Builder message = message().setFirstIndex(0);
    for (int size : sizes) {
      message.addSegments(Segment.newBuilder().setData(ByteString.copyFrom(new byte[size])));
    }
    return message;
  }

  private Refused refused(AppendSegmentsRequest.Builder message) {
    return Refused.from(() -> way.append(JOURNAL.channel(), message.build()));
  }

  private void invalid(String field, AppendSegmentsRequest.Builder message) {
    refused(message)
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", field);
  }

  private void invalidKey(String key) {
    invalid("stream_key", message().setOpen(StreamOpen.newBuilder().setStreamKey(key)));
  }

  private void tooLarge(
      String field, long size, long limit, AppendSegmentsRequest.Builder message) {
    refused(message)
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_TOO_LARGE,
            "field",
            field,
            "size",
            Long.toString(size),
            "limit",
            Long.toString(limit));
  }

  @AfterEach
  void nothing_else_is_stored() {
    GetStreamRequest request = GetStreamRequest.newBuilder().setStreamKey(stream.key()).build();
    var stub = SegmentServiceGrpc.newBlockingStub(JOURNAL.channel());
    if (expectedNextIndex == 0) {
      assertEquals(
          ErrorReason.ERROR_REASON_STREAM_NOT_FOUND,
          Refused.from(() -> stub.getStream(request)).reason());
    } else {
      assertEquals(expectedNextIndex, stub.getStream(request).getStream().getNextIndex());
    }
  }

  @Test
  void a_key_has_1_to_2048_bytes() {
    invalidKey("");
    invalidKey("k".repeat(2_049));
    invalidKey("ß".repeat(1_025));
    String key = stream.key() + "k".repeat(2_048 - stream.key().length());
    var answer =
        way.append(
            JOURNAL.channel(),
            message().setOpen(StreamOpen.newBuilder().setStreamKey(key)).build());
    assertEquals(0, answer.getNextIndex());
  }

  /** B061 */
  @Test
  void a_key_has_no_control_characters() {
    invalidKey("a\0b");
    invalidKey("a\nb");
    invalidKey("\u007f");
    invalidKey("a\u0085b");
  }

  @Test
  void ids_of_the_writer_are_checked_like_all_ids() {
    invalid("attempt_id", message().setOpen(attempt("s", "")));
    invalid("submission_id", message().setOpen(attempt("", "a")));
    invalid("submission_id", message().setOpen(attempt("s".repeat(513), "a")));
    invalid("attempt_id", message().setOpen(attempt("s", "a\0")));
  }

  private StreamOpen attempt(String submissionId, String attemptId) {
    return open.toBuilder()
        .setAttempt(AttemptRef.newBuilder().setSubmissionId(submissionId).setAttemptId(attemptId))
        .build();
  }

  /** B099: 2^64 - 2 is a negative number here. */
  @Test
  void a_writer_epoch_is_0_or_more() {
    invalid("writer_epoch", message().setOpen(open.toBuilder().setWriterEpoch(-1)));
    invalid("writer_epoch", message().setOpen(open.toBuilder().setWriterEpoch(-2)));
  }

  @Test
  void a_content_type_has_at_most_256_bytes() {
    invalid("content_type", message().setOpen(open.toBuilder().setContentType("t".repeat(257))));
    invalid("content_type", message().setOpen(open.toBuilder().setContentType("text\0")));
  }

  @Test
  void first_index_is_required_with_segments_and_is_an_index() {
    Segment segment = TestStream.segment("a");
    invalid("first_index", message().addSegments(segment));
    invalid("first_index", message().addSegments(segment).setFirstIndex(-1));
    invalid("first_index", message().addSegments(segment).setFirstIndex(Long.MAX_VALUE));
    invalid(
        "first_index",
        message().addSegments(segment).addSegments(segment).setFirstIndex(Long.MAX_VALUE - 1));
    refused(message().addSegments(segment).setFirstIndex(Long.MAX_VALUE - 1))
        .mustBe(
            Status.Code.OUT_OF_RANGE,
            ErrorReason.ERROR_REASON_SEGMENT_GAP,
            "expected_index",
            "0",
            "index",
            Long.toString(Long.MAX_VALUE - 1));
  }

  @Test
  void a_segment_without_payload_is_named_by_its_place() {
    invalid(
        "segments[1].payload",
        message()
            .setFirstIndex(0)
            .addSegments(TestStream.segment("a"))
            .addSegments(Segment.getDefaultInstance()));
  }

  /** B057, B070, B071 */
  @Test
  void a_segment_has_at_most_1_mib() {
    tooLarge("segments[1].payload", MIB + 1, MIB, data(1, MIB + 1));
    tooLarge(
        "segments[0].payload",
        MIB + 2,
        MIB,
        message().setFirstIndex(0).addSegments(TestStream.segment("ß".repeat(MIB / 2 + 1))));
    AppendSegmentsRequest.Builder large = data(10 * MIB);
    tooLarge("message", large.build().getSerializedSize(), 4 * MIB, large);
    assertEquals(2, way.append(JOURNAL.channel(), data(1, MIB).build()).getNextIndex());
    expectedNextIndex = 2;
  }

  /** B068 */
  @Test
  void a_message_has_at_most_4_mib() {
    AppendSegmentsRequest.Builder message = data(MIB, MIB, MIB, MIB, MIB);
    tooLarge("message", message.build().getSerializedSize(), 4 * MIB, message);
  }

  /** B012 */
  @Test
  void a_message_has_at_most_1000_segments() {
    Segment segment = TestStream.segment("t");
    tooLarge(
        "segments",
        1_001,
        1_000,
        message().setFirstIndex(0).addAllSegments(Collections.nCopies(1_001, segment)));
    var answer =
        way.append(
            JOURNAL.channel(),
            message().setFirstIndex(0).addAllSegments(Collections.nCopies(1_000, segment)).build());
    assertEquals(1_000, answer.getAppended());
    expectedNextIndex = 1_000;
  }

  @Test
  void an_end_says_how() {
    invalid("end.result", message().setEnd(StreamEnd.getDefaultInstance()));
    invalid("end.finish_reason", message().setEnd(StreamEnd.newBuilder().setFinishReason("")));
    invalid(
        "end.finish_reason",
        message().setEnd(StreamEnd.newBuilder().setFinishReason("r".repeat(513))));
    invalid(
        "end.expected_next_index",
        message().setEnd(StreamEnd.newBuilder().setFinishReason("stop").setExpectedNextIndex(-1)));
    invalid(
        "end.failure.code",
        message()
            .setEnd(
                StreamEnd.newBuilder().setFailure(Failure.newBuilder().setCode("c".repeat(513)))));
    invalid(
        "end.failure.message",
        message()
            .setEnd(
                StreamEnd.newBuilder()
                    .setFailure(Failure.newBuilder().setCode("c").setMessage("nul \0"))));
  }

  @Test
  void without_open_nothing_is_known() {
    invalid("open", AppendSegmentsRequest.newBuilder());
    invalid(
        "open",
        AppendSegmentsRequest.newBuilder().setFirstIndex(0).addSegments(TestStream.segment("a")));
  }
}

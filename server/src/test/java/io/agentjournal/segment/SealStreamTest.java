package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.SealStreamRequest;
import io.agentjournal.v1.SealStreamResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc.SegmentServiceBlockingStub;
import io.agentjournal.v1.Stream;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamState;
import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class SealStreamTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final TestStream stream = new TestStream(JOURNAL.channel());
  private final BoundStream bound = new BoundStream(JOURNAL.database());
  private final SegmentServiceBlockingStub stub =
      SegmentServiceGrpc.newBlockingStub(JOURNAL.channel());

  private SealStreamRequest.Builder seal() {
    return SealStreamRequest.newBuilder().setStreamKey(stream.key());
  }

  private SealStreamRequest.Builder sealBound() {
    return SealStreamRequest.newBuilder().setStreamKey(bound.key());
  }

  private SealStreamResponse call(SealStreamRequest.Builder request) {
    return stub.sealStream(request.build());
  }

  private Stream get(String key) {
    return stub.getStream(GetStreamRequest.newBuilder().setStreamKey(key).build()).getStream();
  }

  private static StreamEnd end(String finishReason) {
    return StreamEnd.newBuilder().setFinishReason(finishReason).build();
  }

  private static StreamEnd end(String finishReason, long expectedNextIndex) {
    return end(finishReason).toBuilder().setExpectedNextIndex(expectedNextIndex).build();
  }

  @Test
  void an_open_stream_is_ended_as_said() {
    stream.putNumbers(0, 3);
    SealStreamResponse sealed = call(seal().setEnd(end("length")));
    assertTrue(sealed.getApplied());
    assertEquals(StreamState.STREAM_STATE_COMPLETE, sealed.getStream().getState());
    assertEquals("length", sealed.getStream().getFinishReason());
    assertEquals(3, sealed.getStream().getNextIndex());
  }

  /** B015 */
  @Test
  void the_same_again_succeeds_and_changes_nothing() {
    stream.putNumbers(0, 3);
    Stream first = call(seal().setEnd(end("stop"))).getStream();
    SealStreamResponse again = call(seal().setEnd(end("stop")));
    assertFalse(again.getApplied());
    assertEquals(first, again.getStream());
  }

  @Test
  void an_end_in_failure_keeps_code_and_message() {
    stream.putNumbers(0, 1);
    Failure failure = Failure.newBuilder().setCode("c").setMessage("m").build();
    Stream sealed = call(seal().setEnd(StreamEnd.newBuilder().setFailure(failure))).getStream();
    assertEquals(StreamState.STREAM_STATE_FAILED, sealed.getState());
    assertEquals(failure, sealed.getFailure());
  }

  @Test
  void another_end_is_refused_and_the_first_stays() {
    stream.putNumbers(0, 3).complete("stop");
    Refused.from(() -> call(seal().setEnd(end("length"))))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STREAM_ENDED,
            "state",
            "COMPLETE",
            "finish_reason",
            "stop");
    assertEquals("stop", get(stream.key()).getFinishReason());
  }

  @Test
  void missing_segments_are_told_and_the_stream_stays_open() {
    stream.putNumbers(0, 3);
    Refused.from(() -> call(seal().setEnd(end("stop", 4))))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_SEGMENTS_MISSING,
            "expected_next_index",
            "4",
            "next_index",
            "3");
    assertEquals(StreamState.STREAM_STATE_OPEN, get(stream.key()).getState());
  }

  @Test
  void a_lower_epoch_is_refused_and_a_higher_one_takes_over() {
    var unused =
        stub.putSegments(
            PutSegmentsRequest.newBuilder()
                .setOpen(stream.open().toBuilder().setWriterEpoch(5))
                .build());
    Refused.from(() -> call(seal().setWriterEpoch(4).setEnd(end("stop"))))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_EPOCH,
            "current_epoch",
            "5");
    Refused.from(() -> call(seal().setEnd(end("stop"))))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_EPOCH);
    assertEquals(StreamState.STREAM_STATE_OPEN, get(stream.key()).getState());
    Stream sealed = call(seal().setWriterEpoch(6).setEnd(end("stop"))).getStream();
    assertEquals(6, sealed.getWriterEpoch());
    assertEquals(StreamState.STREAM_STATE_COMPLETE, sealed.getState());
  }

  @Test
  void a_bound_stream_wants_its_attempt() {
    AttemptRef other = bound.attempt().toBuilder().setAttemptId("other").build();
    Refused.from(() -> call(sealBound().setAttempt(other).setEnd(end("stop", 0))))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "attempt_id",
            "other",
            "current_attempt_id",
            bound.attempt().getAttemptId());
    Refused.from(() -> call(sealBound().setEnd(end("stop", 0))))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
    assertEquals(StreamState.STREAM_STATE_OPEN, get(bound.key()).getState());
  }

  @Test
  void a_bound_stream_wants_to_know_how_many_segments_are_expected() {
    Refused.from(() -> call(sealBound().setAttempt(bound.attempt()).setEnd(end("stop"))))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "end.expected_next_index");
    assertTrue(call(sealBound().setAttempt(bound.attempt()).setEnd(end("stop", 0))).getApplied());
  }

  @Test
  void an_attempt_is_no_writer_of_a_stand_alone_stream() {
    stream.putNumbers(0, 1);
    Refused.from(() -> call(seal().setAttempt(bound.attempt()).setEnd(end("stop", 1))))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STREAM_NOT_BOUND);
  }

  @Test
  void force_makes_the_stream_failed_whoever_writes_it() {
    SealStreamResponse sealed = call(sealBound().setForce(true));
    assertTrue(sealed.getApplied());
    assertEquals(StreamState.STREAM_STATE_FAILED, sealed.getStream().getState());
    assertEquals("sealed", sealed.getStream().getFinishReason());
    Refused.from(
            () ->
                stub.putSegments(
                    PutSegmentsRequest.newBuilder()
                        .setOpen(bound.open())
                        .setFirstIndex(0)
                        .addSegments(TestStream.segment("late"))
                        .build()))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STREAM_ENDED,
            "finish_reason",
            "sealed");
    assertFalse(call(sealBound().setForce(true)).getApplied());
  }

  @Test
  void force_does_not_change_a_stream_that_ended_otherwise() {
    stream.putNumbers(0, 1).complete("stop");
    Refused.from(() -> call(seal().setForce(true)))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STREAM_ENDED);
    assertEquals(StreamState.STREAM_STATE_COMPLETE, get(stream.key()).getState());
  }

  @Test
  void force_takes_neither_writer_nor_end() {
    invalid(seal().setForce(true).setWriterEpoch(1), "writer");
    invalid(seal().setForce(true).setEnd(end("stop")), "end");
    invalid(seal(), "end");
  }

  private void invalid(SealStreamRequest.Builder request, String field) {
    Refused.from(() -> call(request))
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", field);
  }

  @Test
  void followers_get_the_end() {
    stream.putNumbers(0, 3);
    Reading reading = Reading.of(JOURNAL.channel(), stream.follow()).awaitCaughtUp();
    assertTrue(call(seal().setForce(true)).getApplied());
    assertEquals(
        "sealed", reading.awaitEnd(ReadEndReason.READ_END_REASON_FAILED).getFinishReason());
  }

  @Test
  void a_stream_that_is_not_there_is_refused() {
    Refused.from(() -> call(seal().setForce(true)))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_STREAM_NOT_FOUND);
    Refused.from(() -> call(seal().setEnd(end("stop"))))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_STREAM_NOT_FOUND);
  }
}

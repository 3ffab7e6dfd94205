package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.protobuf.ByteString;
import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamState;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is particular to many messages and one answer. */
final class AppendSegmentsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final TestStream stream = new TestStream(JOURNAL.channel());

  private Appending open() {
    return Appending.segments(JOURNAL.channel()).open(stream.open());
  }

  /** -1: there is no such stream. */
  private static long nextIndex(String key) {
    try {
      return SegmentServiceGrpc.newBlockingStub(JOURNAL.channel())
          .getStream(GetStreamRequest.newBuilder().setStreamKey(key).build())
          .getStream()
          .getNextIndex();
    } catch (StatusRuntimeException e) {
      assertEquals(Status.Code.NOT_FOUND, e.getStatus().getCode());
      return -1;
    }
  }

  private void awaitStored(long nextIndex) {
    Wait.until(nextIndex + " segments are stored", () -> nextIndex(stream.key()) == nextIndex);
  }

  private List<String> texts() {
    Reading reading = Reading.of(JOURNAL.channel(), stream.read());
    reading.awaitEnd();
    return reading.texts();
  }

  @Test
  void segments_become_durable_as_they_arrive_and_the_answer_comes_at_half_close() {
    Appending call = open().texts(0, "a");
    awaitStored(1);
    call.texts(1, "b", "c");
    awaitStored(3);
    assertEquals(List.of("a", "b", "c"), texts());
    assertEquals(List.of(), call.answers());
    AppendSegmentsResponse answer = call.texts(2, "c", "d").halfClose().awaitEnd();
    assertEquals(4, answer.getNextIndex());
    assertEquals(4, answer.getAppended());
    assertEquals(1, answer.getDuplicates());
    assertEquals(StreamState.STREAM_STATE_OPEN, answer.getState());
  }

  @Test
  void the_answer_comes_after_the_end_without_half_close() {
    AppendSegmentsResponse answer = open().texts(0, "a").end("stop").awaitEnd();
    assertEquals(1, answer.getNextIndex());
    assertEquals(StreamState.STREAM_STATE_COMPLETE, answer.getState());
  }

  @Test
  void a_call_that_is_cut_has_stored_what_arrived() {
    Appending call = open().texts(0, "a", "b");
    awaitStored(2);
    call.texts(2, "c");
    awaitStored(3);
    call.cancel();
    assertEquals(List.of("a", "b", "c"), texts());
    stream.put(3, "d");
    assertEquals(4, nextIndex(stream.key()));
  }

  @Test
  void a_call_that_sends_nothing_but_open_opens_the_stream() {
    AppendSegmentsResponse answer = open().halfClose().awaitEnd();
    assertEquals(0, answer.getNextIndex());
    assertEquals(0, nextIndex(stream.key()));
  }

  @Test
  void a_call_without_any_message_is_refused() {
    Appending.segments(JOURNAL.channel())
        .halfClose()
        .awaitRefusal()
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "open");
  }

  @Test
  void open_comes_in_the_first_message_and_in_no_other() {
    Appending.segments(JOURNAL.channel())
        .texts(0, "a")
        .awaitRefusal()
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "open");
    assertEquals(-1, nextIndex(stream.key()));
    open()
        .texts(0, "a")
        .open(stream.open())
        .texts(1, "b")
        .awaitRefusal()
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "open",
            "next_index",
            "1");
    assertEquals(List.of("a"), texts());
  }

  /** B067: the status says how far the stream is stored, and the rest goes on from there. */
  @Test
  void one_bad_message_of_a_thousand_is_refused_and_what_came_before_it_is_stored() {
    Appending call = open();
    for (int i = 0; i < 1_000; i++) {
      call.segments(
          i, List.of(i == 700 ? Segment.getDefaultInstance() : TestStream.segment("" + i)));
    }
    call.halfClose()
        .awaitRefusal()
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "segments[0].payload",
            "next_index",
            "700");
    assertEquals(700, nextIndex(stream.key()));
    stream.putNumbers(700, 1_000);
    assertEquals(IntStream.range(0, 1_000).mapToObj(Integer::toString).toList(), texts());
  }

  /** B080: the status is not lost behind what the client still sends. */
  @Test
  void a_refusal_in_the_middle_of_a_large_response_reaches_the_client() {
    Appending call = open();
    ByteString block = ByteString.copyFrom(new byte[64 << 10]);
    Segment segment = Segment.newBuilder().setData(block).build();
    for (int i = 0; i < 64; i++) {
      call.segments(i == 3 ? 33 : i, List.of(segment));
    }
    call.halfClose()
        .awaitRefusal()
        .mustBe(
            Status.Code.OUT_OF_RANGE,
            ErrorReason.ERROR_REASON_SEGMENT_GAP,
            "expected_index",
            "3",
            "next_index",
            "3");
    assertEquals(3, nextIndex(stream.key()));
  }

  /** B082 */
  @Test
  void a_response_that_is_sent_again_as_a_whole_is_all_duplicates() {
    stream.putNumbers(0, 2_500).complete("stop");
    Appending call = open();
    for (int i = 0; i < 2_500; i += 500) {
      call.segments(
          i, IntStream.range(i, i + 500).mapToObj(n -> TestStream.segment("" + n)).toList());
    }
    AppendSegmentsResponse answer = call.end("stop").awaitEnd();
    assertEquals(2_500, answer.getDuplicates());
    assertEquals(0, answer.getAppended());
    assertEquals(StreamState.STREAM_STATE_COMPLETE, answer.getState());
  }

  @Test
  void nothing_is_stored_after_the_end() {
    Appending call = open().texts(0, "a").end("stop").texts(1, "b");
    Wait.until("end of the call", call::isOver);
    assertEquals(List.of("a"), texts());
  }

  @Test
  void an_end_in_the_last_message_waits_for_all_before_it() {
    Appending call = open();
    for (int i = 0; i < 300; i++) {
      call.segments(i, Collections.nCopies(1, TestStream.segment("" + i)));
    }
    AppendSegmentsResponse answer =
        call.send(
                AppendSegmentsRequest.newBuilder()
                    .setFirstIndex(300)
                    .addSegments(TestStream.segment("300"))
                    .setEnd(
                        StreamEnd.newBuilder().setFinishReason("stop").setExpectedNextIndex(301))
                    .build())
            .awaitEnd();
    assertEquals(301, answer.getAppended());
    assertEquals(StreamState.STREAM_STATE_COMPLETE, answer.getState());
  }

  @Test
  void an_idle_call_ends_when_its_attempt_is_replaced() {
    BoundStream bound = new BoundStream(JOURNAL.database());
    Appending call = Appending.segments(JOURNAL.channel()).open(bound.open()).texts(0, "a");
    Wait.until("stored", () -> nextIndex(bound.key()) == 1);
    assertFalse(call.isOver());
    bound.repoint("next attempt");
    call.awaitRefusal()
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "attempt_id",
            "attempt",
            "current_attempt_id",
            "next attempt",
            "next_index",
            "1");
  }

  @Test
  void an_idle_call_ends_when_its_stream_is_superseded() {
    BoundStream bound = new BoundStream(JOURNAL.database());
    Appending call = Appending.segments(JOURNAL.channel()).open(bound.open()).texts(0, "a");
    Wait.until("stored", () -> nextIndex(bound.key()) == 1);
    bound.supersede();
    call.awaitRefusal()
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STREAM_ENDED,
            "state",
            "SUPERSEDED");
  }

  @Test
  void an_idle_call_ends_when_a_higher_epoch_writes_on_another_server() {
    Appending call =
        Appending.segments(JOURNAL.channel())
            .open(stream.open().toBuilder().setWriterEpoch(1).build())
            .texts(0, "a");
    awaitStored(1);
    try (JournalServer other = JOURNAL.anotherServer()) {
      ManagedChannel channel = JournalExtension.channelTo(other);
      Appending.segments(channel)
          .open(stream.open().toBuilder().setWriterEpoch(2).build())
          .texts(1, "b")
          .halfClose()
          .awaitEnd();
      channel.shutdownNow();
    }
    call.awaitRefusal()
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_EPOCH,
            "writer_epoch",
            "1",
            "current_epoch",
            "2");
    assertEquals(List.of("a", "b"), texts());
  }

  @Test
  void a_server_that_goes_away_stores_what_was_sent_and_says_where_to_resume() {
    JournalServer leaving = JOURNAL.anotherServer();
    ManagedChannel channel = JournalExtension.channelTo(leaving);
    try {
      Appending call = Appending.segments(channel).open(stream.open()).texts(0, "a", "b");
      awaitStored(2);
      leaving.close();
      call.awaitRefusal()
          .mustBe(
              Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_SERVER_DRAINING, "next_index", "2");
      stream.put(2, "c");
      assertEquals(List.of("a", "b", "c"), texts());
    } finally {
      channel.shutdownNow();
    }
  }
}

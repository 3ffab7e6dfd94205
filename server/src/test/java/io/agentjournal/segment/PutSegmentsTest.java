package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.PutSegmentsResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc.SegmentServiceBlockingStub;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamState;
import io.grpc.Status;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is particular to one call a message. The rules of appends are in AppendRulesTest. */
final class PutSegmentsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final TestStream stream = new TestStream(JOURNAL.channel());
  private final SegmentServiceBlockingStub stub =
      SegmentServiceGrpc.newBlockingStub(JOURNAL.channel());

  private PutSegmentsRequest.Builder request() {
    return PutSegmentsRequest.newBuilder().setOpen(stream.open());
  }

  private PutSegmentsResponse put(PutSegmentsRequest.Builder request) {
    return stub.putSegments(request.build());
  }

  @Test
  void a_response_may_be_written_one_call_a_token() {
    for (int i = 0; i < 50; i++) {
      PutSegmentsResponse answer =
          put(request().setFirstIndex(i).addSegments(TestStream.segment("" + i)));
      assertEquals(i + 1, answer.getNextIndex());
      assertEquals(1, answer.getAppended());
    }
    PutSegmentsResponse last =
        put(
            request()
                .setEnd(StreamEnd.newBuilder().setFinishReason("stop").setExpectedNextIndex(50)));
    assertEquals(StreamState.STREAM_STATE_COMPLETE, last.getState());
    assertFalse(last.getAbortRequested());
  }

  @Test
  void a_writer_asks_for_next_index_with_its_open_alone() {
    stream.put(0, "a", "b");
    PutSegmentsResponse answer = put(request());
    assertEquals(2, answer.getNextIndex());
    assertEquals(0, answer.getAppended());
    assertEquals(0, answer.getDuplicates());
    assertEquals(StreamState.STREAM_STATE_OPEN, answer.getState());
  }

  @Test
  void a_stale_writer_learns_it_from_its_open_alone() {
    BoundStream bound = new BoundStream(JOURNAL.database());
    bound.repoint("next attempt");
    Refused.from(() -> put(PutSegmentsRequest.newBuilder().setOpen(bound.open())))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "current_attempt_id",
            "next attempt",
            "next_index",
            "0");
  }

  /** What came before the refused segment is stored, what comes after it is not. */
  @Test
  void a_message_that_repeats_and_goes_on_is_stored_up_to_its_first_conflict() {
    stream.put(0, "a", "b");
    Refused.from(
            () ->
                put(
                    request()
                        .setFirstIndex(1)
                        .addAllSegments(List.of(TestStream.segment("X"), TestStream.segment("c")))))
        .mustBe(
            Status.Code.ALREADY_EXISTS,
            ErrorReason.ERROR_REASON_SEGMENT_CONFLICT,
            "index",
            "1",
            "next_index",
            "2");
    Reading reading = Reading.of(JOURNAL.channel(), stream.read());
    reading.awaitEnd();
    assertEquals(List.of("a", "b"), reading.texts());
  }

  /** One of many frames, which inflates to more than any buffer on the way. */
  @Test
  void a_compressed_message_is_what_it_was() {
    List<String> texts =
        IntStream.range(0, 1_000).mapToObj(i -> "word %,d ".formatted(i).repeat(5)).toList();
    PutSegmentsResponse answer =
        stub.withCompression("gzip")
            .putSegments(
                request()
                    .setFirstIndex(0)
                    .addAllSegments(texts.stream().map(TestStream::segment).toList())
                    .setEnd(StreamEnd.newBuilder().setFinishReason("stop"))
                    .build());
    assertEquals(1_000, answer.getAppended());
    Reading reading = Reading.of(JOURNAL.channel(), stream.read());
    reading.awaitEnd();
    assertEquals(texts, reading.texts());
  }
}

package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Timestamp;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc.SegmentServiceBlockingStub;
import io.agentjournal.v1.Stream;
import io.agentjournal.v1.StreamState;
import io.grpc.Status;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class GetStreamTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final TestStream stream = new TestStream(JOURNAL.channel());
  private final SegmentServiceBlockingStub stub =
      SegmentServiceGrpc.newBlockingStub(JOURNAL.channel());

  private Stream get() {
    return stub.getStream(GetStreamRequest.newBuilder().setStreamKey(stream.key()).build())
        .getStream();
  }

  @Test
  void an_open_stream_tells_how_far_it_is() {
    stream.put(0, "ab", "\u00e9");
    Stream got = get();
    assertEquals(stream.key(), got.getStreamKey());
    assertEquals(StreamState.STREAM_STATE_OPEN, got.getState());
    assertEquals(2, got.getNextIndex());
    assertEquals(4, got.getSizeBytes());
    assertTrue(got.hasOpenedAt());
    assertFalse(instant(got.getOpenedAt()).isAfter(instant(got.getLastSegmentAt())));
    assertFalse(got.hasEndedAt());
    assertFalse(got.hasAttempt());
    assertFalse(got.hasWriterEpoch());
    assertFalse(got.hasFailure());
  }

  @Test
  void an_ended_stream_tells_how_it_ended() {
    stream.put(0, "a").complete("stop");
    Stream got = get();
    assertEquals(StreamState.STREAM_STATE_COMPLETE, got.getState());
    assertEquals("stop", got.getFinishReason());
    assertTrue(got.hasEndedAt());
  }

  @Test
  void a_failed_stream_tells_its_failure() {
    stream.put(0, "a").fail("overloaded", "try later");
    Stream got = get();
    assertEquals(StreamState.STREAM_STATE_FAILED, got.getState());
    assertEquals(
        Failure.newBuilder().setCode("overloaded").setMessage("try later").build(),
        got.getFailure());
  }

  @Test
  void content_type_and_epoch_are_those_of_its_writers() {
    var unused =
        stub.putSegments(
            PutSegmentsRequest.newBuilder()
                .setOpen(stream.open().toBuilder().setWriterEpoch(7).setContentType("text/plain"))
                .build());
    Stream got = get();
    assertEquals(7, got.getWriterEpoch());
    assertEquals("text/plain", got.getContentType());
    assertFalse(got.hasLastSegmentAt());
  }

  @Test
  void a_deleted_stream_is_answered_as_deleted() {
    stream.put(0, "a");
    var unused =
        stub.deleteStream(DeleteStreamRequest.newBuilder().setStreamKey(stream.key()).build());
    assertEquals(StreamState.STREAM_STATE_DELETED, get().getState());
  }

  @Test
  void a_stream_that_is_not_there_is_refused() {
    Refused.from(this::get)
        .mustBe(
            Status.Code.NOT_FOUND,
            ErrorReason.ERROR_REASON_STREAM_NOT_FOUND,
            "stream_key",
            stream.key());
  }

  private static Instant instant(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }
}

package io.agentjournal.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AppendEventsSessionRequest;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.EventsOpen;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.GetStreamResponse;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class MalformedRequestsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  /** A field that goes on behind the message's end. */
  private static final byte[] CUT = {0x0a, 0x7f, 'a'};

  /** Field 1, a text of one byte, which no UTF-8 has. */
  private static final byte[] NO_UTF8 = {0x0a, 0x01, (byte) 0xff};

  private static ClientCall<byte[], byte[]> call(MethodDescriptor<?, ?> method) {
    return JOURNAL
        .channel()
        .newCall(
            method.toBuilder(new Bytes(), new Bytes()).build(),
            CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS));
  }

  private static void mustBeRefused(StatusRuntimeException failure) {
    Refused.of(failure)
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "request");
  }

  @Test
  void bytes_that_are_no_message_and_text_that_is_no_utf8_are_invalid() {
    List<MethodDescriptor<?, ?>> unary =
        Stream.of(
                SegmentServiceGrpc.getServiceDescriptor(),
                SubmissionServiceGrpc.getServiceDescriptor(),
                TurnJournalServiceGrpc.getServiceDescriptor())
            .flatMap(service -> service.getMethods().stream())
            .<MethodDescriptor<?, ?>>map(method -> method)
            .filter(method -> method.getType() == MethodType.UNARY)
            .toList();
    assertFalse(unary.isEmpty());
    for (MethodDescriptor<?, ?> method : unary) {
      Refused.from(() -> ClientCalls.blockingUnaryCall(call(method), CUT))
          .mustBe(
              Status.Code.INVALID_ARGUMENT,
              ErrorReason.ERROR_REASON_INVALID_FIELD,
              "field",
              "request");
    }
    Refused.from(
            () ->
                ClientCalls.blockingUnaryCall(
                    call(SegmentServiceGrpc.getGetStreamMethod()), NO_UTF8))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "request");
    Refused.from(
            () ->
                ClientCalls.blockingServerStreamingCall(
                        call(SegmentServiceGrpc.getReadSegmentsMethod()), CUT)
                    .hasNext())
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "request");
  }

  @Test
  void malformed_first_message_of_an_append_is_invalid() throws Exception {
    Ending ending = new Ending();
    StreamObserver<byte[]> requests =
        ClientCalls.asyncBidiStreamingCall(
            call(SegmentServiceGrpc.getAppendSessionMethod()), ending);
    requests.onNext(CUT);
    mustBeRefused(ending.await());
  }

  @Test
  void what_an_append_sent_before_a_malformed_message_is_stored_and_told() throws Exception {
    String key = "malformed-" + UUID.randomUUID();
    Ending ending = new Ending();
    StreamObserver<byte[]> requests =
        ClientCalls.asyncClientStreamingCall(
            call(SegmentServiceGrpc.getAppendSegmentsMethod()), ending);
    requests.onNext(
        AppendSegmentsRequest.newBuilder()
            .setOpen(StreamOpen.newBuilder().setStreamKey(key))
            .setFirstIndex(0)
            .addSegments(Segment.newBuilder().setText("a"))
            .addSegments(Segment.newBuilder().setText("b"))
            .build()
            .toByteArray());
    requests.onNext(CUT);
    requests.onNext(
        AppendSegmentsRequest.newBuilder()
            .setFirstIndex(2)
            .addSegments(Segment.newBuilder().setText("c"))
            .build()
            .toByteArray());
    StatusRuntimeException failure = ending.await();
    mustBeRefused(failure);
    assertEquals("2", Refused.of(failure).fact("next_index"));
    GetStreamResponse stored =
        SegmentServiceGrpc.newBlockingStub(JOURNAL.channel())
            .getStream(GetStreamRequest.newBuilder().setStreamKey(key).build());
    assertEquals(2, stored.getStream().getNextIndex());
  }

  @Test
  void what_a_session_of_events_sent_before_a_malformed_message_is_stored_and_told()
      throws Exception {
    Ending ending = new Ending();
    StreamObserver<byte[]> requests =
        ClientCalls.asyncBidiStreamingCall(
            call(RunJournalServiceGrpc.getAppendEventsSessionMethod()), ending);
    requests.onNext(
        AppendEventsSessionRequest.newBuilder()
            .setOpen(EventsOpen.newBuilder().setRunId("malformed-" + UUID.randomUUID()))
            .addEvents(Event.newBuilder().setKind(EventKind.EVENT_KIND_APPROVAL))
            .build()
            .toByteArray());
    requests.onNext(CUT);
    StatusRuntimeException failure = ending.await();
    mustBeRefused(failure);
    assertEquals("1", Refused.of(failure).fact("durable_events"));
  }

  /** How a call failed. */
  private static final class Ending implements StreamObserver<byte[]> {
    private final CompletableFuture<StatusRuntimeException> failure = new CompletableFuture<>();

    StatusRuntimeException await() throws InterruptedException, ExecutionException {
      return failure.get();
    }

    @Override
    public void onNext(byte[] answer) {}

    @Override
    public void onError(Throwable cause) {
      failure.complete((StatusRuntimeException) cause);
    }

    @Override
    public void onCompleted() {
      failure.completeExceptionally(new AssertionError("not refused"));
    }
  }

  private static final class Bytes implements Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}

package io.agentjournal.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AdmitSubmissionRequest;
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
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Compressor;
import io.grpc.CompressorRegistry;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class MalformedRequestsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  /** A field that goes on behind the message's end. */
  private static final byte[] CUT = {0x0a, 0x7f, 'a'};

  /** Field 1, a text of one byte, which no UTF-8 has. */
  private static final byte[] NO_UTF8 = {0x0a, 0x01, (byte) 0xff};

  private static ClientCall<byte[], byte[]> call(MethodDescriptor<?, ?> method) {
    return call(JOURNAL.channel(), method, CallOptions.DEFAULT);
  }

  private static ClientCall<byte[], byte[]> call(
      Channel channel, MethodDescriptor<?, ?> method, CallOptions options) {
    return channel.newCall(
        method.toBuilder(new Bytes(), new Bytes()).build(),
        options.withDeadlineAfter(30, TimeUnit.SECONDS));
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

  /** 48 MiB are 48 kB. */
  @Test
  void a_compressed_message_that_inflates_beyond_the_limit_is_too_large() {
    byte[] large =
        AdmitSubmissionRequest.newBuilder()
            .setSubmissionId("s".repeat(48 << 20))
            .build()
            .toByteArray();
    for (MethodDescriptor<?, ?> method :
        List.of(
            SegmentServiceGrpc.getPutSegmentsMethod(),
            SubmissionServiceGrpc.getAdmitSubmissionMethod())) {
      Refused.from(
              () ->
                  ClientCalls.blockingUnaryCall(
                      call(JOURNAL.channel(), method, CallOptions.DEFAULT.withCompression("gzip")),
                      large))
          .mustBe(
              Status.Code.INVALID_ARGUMENT,
              ErrorReason.ERROR_REASON_TOO_LARGE,
              "field",
              "request",
              "limit",
              Integer.toString(32 << 20));
    }
  }

  @Test
  void a_message_that_cannot_be_inflated_to_its_end_is_invalid() {
    CompressorRegistry compressors = CompressorRegistry.newEmptyInstance();
    compressors.register(new CutGzip());
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", JOURNAL.server().port())
            .usePlaintext()
            .compressorRegistry(compressors)
            .build();
    try {
      for (MethodDescriptor<?, ?> method :
          List.of(
              SegmentServiceGrpc.getPutSegmentsMethod(),
              SubmissionServiceGrpc.getAdmitSubmissionMethod())) {
        mustBeRefused(
            assertThrows(
                StatusRuntimeException.class,
                () ->
                    ClientCalls.blockingUnaryCall(
                        call(channel, method, CallOptions.DEFAULT.withCompression("gzip")),
                        new byte[1_000])));
      }
    } finally {
      channel.shutdownNow();
    }
  }

  /** Loses the last bytes of what it compresses. */
  private static final class CutGzip implements Compressor {
    @Override
    public String getMessageEncoding() {
      return "gzip";
    }

    @Override
    public OutputStream compress(OutputStream to) {
      ByteArrayOutputStream whole = new ByteArrayOutputStream();
      return new FilterOutputStream(whole) {
        @Override
        public void close() throws IOException {
          ByteArrayOutputStream compressed = new ByteArrayOutputStream();
          try (OutputStream gzip = new GZIPOutputStream(compressed)) {
            whole.writeTo(gzip);
          }
          to.write(compressed.toByteArray(), 0, compressed.size() - 12);
          to.close();
        }
      };
    }
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

package io.agentjournal.segment;

import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.Overloaded;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.PutSegmentsResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The three calls that append. On the wire they are those of the generated service; their requests
 * are read by {@link AppendRequests}. They run on event loops and never block.
 */
final class AppendCalls {
  private static final MethodDescriptor<AppendMessage, AppendSegmentsResponse> APPEND_SEGMENTS =
      readHere(SegmentServiceGrpc.getAppendSegmentsMethod());

  private static final MethodDescriptor<AppendMessage, AppendSessionResponse> APPEND_SESSION =
      readHere(SegmentServiceGrpc.getAppendSessionMethod());

  private static final MethodDescriptor<AppendMessage, PutSegmentsResponse> PUT_SEGMENTS =
      readHere(SegmentServiceGrpc.getPutSegmentsMethod());

  private final Appends appends;

  AppendCalls(Appends appends) {
    this.appends = appends;
  }

  private static <T> MethodDescriptor<AppendMessage, T> readHere(MethodDescriptor<?, T> generated) {
    return generated.toBuilder(new AppendRequests(), generated.getResponseMarshaller()).build();
  }

  /** The service as it was generated, with these methods instead of its own. */
  ServerServiceDefinition inside(ServerServiceDefinition service) {
    Map<String, ServerMethodDefinition<?, ?>> methods = new LinkedHashMap<>();
    service.getMethods().forEach(method -> put(methods, method));
    put(
        methods,
        ServerMethodDefinition.create(
            APPEND_SEGMENTS, ServerCalls.asyncClientStreamingCall(this::appendSegments)));
    put(
        methods,
        ServerMethodDefinition.create(
            APPEND_SESSION, ServerCalls.asyncBidiStreamingCall(this::appendSession)));
    put(
        methods,
        ServerMethodDefinition.create(PUT_SEGMENTS, ServerCalls.asyncUnaryCall(this::putSegments)));
    ServiceDescriptor.Builder descriptor =
        ServiceDescriptor.newBuilder(service.getServiceDescriptor().getName())
            .setSchemaDescriptor(service.getServiceDescriptor().getSchemaDescriptor());
    methods.values().forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
    ServerServiceDefinition.Builder definition =
        ServerServiceDefinition.builder(descriptor.build());
    methods.values().forEach(definition::addMethod);
    return definition.build();
  }

  private static void put(
      Map<String, ServerMethodDefinition<?, ?>> methods, ServerMethodDefinition<?, ?> method) {
    methods.put(method.getMethodDescriptor().getFullMethodName(), method);
  }

  private StreamObserver<AppendMessage> appendSegments(
      StreamObserver<AppendSegmentsResponse> observer) {
    var call = (ServerCallStreamObserver<AppendSegmentsResponse>) observer;
    return messages(call, APPEND_SEGMENTS.getFullMethodName(), new AppendAnswers.AtTheEnd(call));
  }

  private StreamObserver<AppendMessage> appendSession(
      StreamObserver<AppendSessionResponse> observer) {
    var call = (ServerCallStreamObserver<AppendSessionResponse>) observer;
    return messages(call, APPEND_SESSION.getFullMethodName(), new AppendAnswers.AsItGrows(call));
  }

  private void putSegments(AppendMessage message, StreamObserver<PutSegmentsResponse> observer) {
    if (message.open() == null) {
      throw InvalidField.because("open", "missing");
    }
    if (appends.memory().isFull()) {
      throw new Overloaded("append_bytes_under_way");
    }
    ((ServerCallStreamObserver<PutSegmentsResponse>) observer).setOnCancelHandler(() -> {});
    PutCall call = new PutCall(PUT_SEGMENTS.getFullMethodName(), appends.memory(), observer);
    OpenedStream stream = OpenedStream.of(NamespaceInterceptor.current(), message.open());
    Batch batch = appends.messages().batch(stream, message, call);
    appends.memory().take(batch.sizeBytes());
    appends.lanes().submit(batch);
  }

  private StreamObserver<AppendMessage> messages(
      ServerCallStreamObserver<?> observer, String method, AppendAnswers answers) {
    AppendCall call =
        new AppendCall(method, NamespaceInterceptor.current(), appends, observer, answers);
    return new StreamObserver<>() {
      @Override
      public void onNext(AppendMessage message) {
        call.message(message);
      }

      @Override
      public void onError(Throwable cancellation) {
        // The cancel handler has it.
      }

      @Override
      public void onCompleted() {
        call.halfClosed();
      }
    };
  }
}

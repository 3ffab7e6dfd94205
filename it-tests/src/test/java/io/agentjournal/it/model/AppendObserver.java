package io.agentjournal.it.model;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.PutSegmentsResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Appends in many messages what PutSegments has in one, a segment in each. In the end it has come
 * to the same; the answer is that of PutSegments, which has the same fields.
 */
final class AppendObserver implements StreamObserver<Message> {
  private final CompletableFuture<Answer> answer = new CompletableFuture<>();
  private PutSegmentsResponse last = PutSegmentsResponse.getDefaultInstance();
  private boolean hasGoneBack;

  private AppendObserver() {}

  static Supplier<Answer> start(
      Channel channel,
      MethodDescriptor<Message, Message> method,
      CallOptions options,
      PutSegmentsRequest request) {
    AppendObserver observer = new AppendObserver();
    ClientCall<Message, Message> call = channel.newCall(method, options);
    boolean isSession = method.getType() == MethodDescriptor.MethodType.BIDI_STREAMING;
    StreamObserver<Message> writer =
        isSession
            ? ClientCalls.asyncBidiStreamingCall(call, observer)
            : ClientCalls.asyncClientStreamingCall(call, observer);
    for (PutSegmentsRequest part : parts(request)) {
      writer.onNext(isSession ? ofSession(part) : ofSegments(part));
    }
    writer.onCompleted();
    return observer.answer::join;
  }

  private static List<PutSegmentsRequest> parts(PutSegmentsRequest request) {
    List<PutSegmentsRequest> parts = new ArrayList<>();
    for (int i = 0; i < request.getSegmentsCount(); i++) {
      parts.add(
          PutSegmentsRequest.newBuilder()
              .setFirstIndex(request.getFirstIndex() + i)
              .addSegments(request.getSegments(i))
              .build());
    }
    if (parts.isEmpty()) {
      parts.add(PutSegmentsRequest.getDefaultInstance());
    }
    parts.set(0, parts.get(0).toBuilder().setOpen(request.getOpen()).build());
    if (request.hasEnd()) {
      int end = parts.size() - 1;
      parts.set(end, parts.get(end).toBuilder().setEnd(request.getEnd()).build());
    }
    return parts;
  }

  private static Message ofSegments(PutSegmentsRequest part) {
    AppendSegmentsRequest.Builder message =
        AppendSegmentsRequest.newBuilder().addAllSegments(part.getSegmentsList());
    if (part.hasOpen()) {
      message.setOpen(part.getOpen());
    }
    if (part.hasFirstIndex()) {
      message.setFirstIndex(part.getFirstIndex());
    }
    return part.hasEnd() ? message.setEnd(part.getEnd()).build() : message.build();
  }

  private static Message ofSession(PutSegmentsRequest part) {
    AppendSessionRequest.Builder message =
        AppendSessionRequest.newBuilder().addAllSegments(part.getSegmentsList());
    if (part.hasOpen()) {
      message.setOpen(part.getOpen());
    }
    if (part.hasFirstIndex()) {
      message.setFirstIndex(part.getFirstIndex());
    }
    return part.hasEnd() ? message.setEnd(part.getEnd()).build() : message.build();
  }

  @Override
  public void onNext(Message message) {
    try {
      PutSegmentsResponse next = PutSegmentsResponse.parseFrom(message.toByteString());
      hasGoneBack |= next.getNextIndex() < last.getNextIndex();
      last = next;
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the answers to appends are not alike", e);
    }
  }

  @Override
  public void onError(Throwable cause) {
    answer.complete(Observer.refused((StatusRuntimeException) cause));
  }

  @Override
  public void onCompleted() {
    answer.complete(
        hasGoneBack
            ? Answer.refused(
                ErrorReason.ERROR_REASON_UNSPECIFIED, Map.of("next_index", "has gone back"))
            : Answer.of(last));
  }
}

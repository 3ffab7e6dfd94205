package io.agentjournal.it.model;

import com.google.protobuf.Message;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.ClaimNextSubmissionRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ListEntriesResponse;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.ReadActivePathResponse;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.WatchSubmissionRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Makes calls, and puts what comes back into the form in which the model tells it. */
final class Observer {
  private static final long PATIENCE_SECONDS = 30;

  /** A worker that finds nothing is answered shortly before. */
  private static final long WORKERS_PATIENCE_SECONDS = 3;

  private Observer() {}

  /** Sends the call; the answer is waited for by whoever gets the supplier. */
  @SuppressWarnings("unchecked")
  static Supplier<Answer> start(Channel channel, Call call) {
    MethodDescriptor<Message, Message> method = (MethodDescriptor<Message, Message>) call.method();
    if (call.request() instanceof WatchSubmissionRequest watch) {
      return WatchObserver.start(channel, options(call), watch);
    }
    if (call.request() instanceof PutSegmentsRequest put
        && method.getType() != MethodDescriptor.MethodType.UNARY) {
      return AppendObserver.start(channel, method, options(call), put);
    }
    Answers answers = new Answers();
    ClientCall<Message, Message> under = channel.newCall(method, options(call));
    if (method.getType() == MethodDescriptor.MethodType.SERVER_STREAMING) {
      ClientCalls.asyncServerStreamingCall(under, call.request(), answers);
    } else {
      ClientCalls.asyncUnaryCall(under, call.request(), answers);
    }
    return answers::get;
  }

  private static CallOptions options(Call call) {
    return call.request() instanceof ClaimNextSubmissionRequest
        ? CallOptions.DEFAULT.withDeadlineAfter(WORKERS_PATIENCE_SECONDS, TimeUnit.SECONDS)
        : CallOptions.DEFAULT.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** All that one call is answered. */
  private static final class Answers implements StreamObserver<Message> {
    private final List<Message> messages = new ArrayList<>();
    private final CompletableFuture<Answer> answer = new CompletableFuture<>();

    Answer get() {
      return answer.join();
    }

    @Override
    public void onNext(Message message) {
      add(messages, Timeless.of(message));
    }

    @Override
    public void onError(Throwable cause) {
      answer.complete(refused((StatusRuntimeException) cause));
    }

    @Override
    public void onCompleted() {
      answer.complete(Answer.of(messages.toArray(new Message[0])));
    }
  }

  /** What is read comes in as many messages as the server likes. */
  private static void add(List<Message> messages, Message next) {
    int last = messages.size() - 1;
    if (last >= 0 && isPart(next)) {
      messages.set(last, joined(messages.get(last), next));
    } else {
      messages.add(next);
    }
  }

  private static boolean isPart(Message message) {
    return (message instanceof ListEntriesResponse listed && !listed.hasEnd())
        || (message instanceof ReadActivePathResponse path && !path.hasEnd())
        || (message instanceof ReadSegmentsResponse read && read.hasRun());
  }

  private static Message joined(Message before, Message next) {
    if (before instanceof ReadSegmentsResponse first && next instanceof ReadSegmentsResponse more) {
      return first.toBuilder()
          .setRun(first.getRun().toBuilder().addAllSegments(more.getRun().getSegmentsList()))
          .build();
    }
    return before.toBuilder().mergeFrom(next).build();
  }

  /** A status that is no refusal, or another than the reason's, agrees with no model. */
  static Answer refused(StatusRuntimeException failure) {
    try {
      Refused refused = Refused.of(failure);
      return refused.code() == codeOf(refused.reason())
          ? Answer.refused(refused.reason(), refused.facts())
          : unlawful(failure);
    } catch (AssertionError noRefusal) {
      return unlawful(failure);
    }
  }

  private static Answer unlawful(StatusRuntimeException failure) {
    return Answer.refused(
        ErrorReason.ERROR_REASON_UNSPECIFIED, Map.of("status", failure.getStatus().toString()));
  }

  /** As the catalogue of reasons groups them. */
  private static Status.Code codeOf(ErrorReason reason) {
    return switch (reason.getNumber() / 10) {
      case 0, 1, 2 -> Status.Code.FAILED_PRECONDITION;
      case 3 -> Status.Code.ABORTED;
      case 4 -> Status.Code.ALREADY_EXISTS;
      case 5 -> Status.Code.OUT_OF_RANGE;
      case 6, 7 -> Status.Code.NOT_FOUND;
      case 8 -> Status.Code.INVALID_ARGUMENT;
      case 9 -> Status.Code.RESOURCE_EXHAUSTED;
      case 10 -> Status.Code.UNAVAILABLE;
      default -> Status.Code.UNKNOWN;
    };
  }
}

package io.agentjournal.it.model;

import com.google.protobuf.Message;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.SegmentRun;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.WatchSubmissionRequest;
import io.agentjournal.v1.WatchSubmissionResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Watches a submission until all is told that has happened, twice: from the start, and then from a
 * cursor in the middle, which has to tell the rest of it. Each segment is told for itself: how many
 * come in a message is the server's business.
 */
final class WatchObserver
    implements ClientResponseObserver<WatchSubmissionRequest, WatchSubmissionResponse> {
  private final List<Message> told = new ArrayList<>();

  /** After each message: how much was told, and from where it goes on. */
  private final List<Mark> marks = new ArrayList<>();

  private final CompletableFuture<Answer> answer = new CompletableFuture<>();
  private ClientCallStreamObserver<WatchSubmissionRequest> call;

  private record Mark(int toldCount, String cursor) {}

  @SuppressWarnings("NullAway.Init") // The call's start gives it, before anything comes.
  private WatchObserver() {}

  static Supplier<Answer> start(
      Channel channel, CallOptions options, WatchSubmissionRequest request) {
    WatchObserver whole = of(channel, options, request);
    return () -> whole.withRest(channel, options, request);
  }

  private static WatchObserver of(
      Channel channel, CallOptions options, WatchSubmissionRequest request) {
    WatchObserver observer = new WatchObserver();
    ClientCalls.asyncServerStreamingCall(
        channel.newCall(SubmissionServiceGrpc.getWatchSubmissionMethod(), options),
        request,
        observer);
    return observer;
  }

  private Answer withRest(Channel channel, CallOptions options, WatchSubmissionRequest request) {
    Answer all = answer.join();
    if (all.reason() != null) {
      return all;
    }
    Mark middle = marks.get((marks.size() - 1) / 2);
    Answer rest =
        of(channel, options, request.toBuilder().setCursor(middle.cursor()).build()).answer.join();
    boolean agrees =
        rest.messages().equals(all.messages().subList(middle.toldCount(), all.messages().size()));
    return agrees
        ? all
        : Answer.refused(
            ErrorReason.ERROR_REASON_UNSPECIFIED,
            Map.of("after", middle.toldCount() + " of " + all, "from_the_cursor", rest.toString()));
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<WatchSubmissionRequest> started) {
    call = started;
  }

  @Override
  public void onNext(WatchSubmissionResponse message) {
    WatchSubmissionResponse next =
        (WatchSubmissionResponse) Timeless.of(message.toBuilder().clearCursor().build());
    if (next.hasSegments()) {
      each(next);
    } else {
      told.add(next);
    }
    marks.add(new Mark(told.size(), message.getCursor()));
    if (next.hasCaughtUp()) {
      answer.complete(Answer.of(told.toArray(new Message[0])));
      call.cancel("all is told", null);
    }
  }

  private void each(WatchSubmissionResponse message) {
    SegmentRun run = message.getSegments().getRun();
    for (int i = 0; i < run.getSegmentsCount(); i++) {
      WatchSubmissionResponse.Builder one = message.toBuilder();
      one.getSegmentsBuilder()
          .setRun(
              SegmentRun.newBuilder()
                  .setFirstIndex(run.getFirstIndex() + i)
                  .addSegments(run.getSegments(i)));
      told.add(one.build());
    }
  }

  @Override
  public void onError(Throwable cause) {
    answer.complete(Observer.refused((StatusRuntimeException) cause));
  }

  @Override
  public void onCompleted() {
    answer.complete(Answer.of(told.toArray(new Message[0])));
  }
}

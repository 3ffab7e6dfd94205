package io.agentjournal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.WatchSubmissionRequest;
import io.agentjournal.v1.WatchSubmissionResponse;
import io.agentjournal.v1.WatchSubmissionResponse.EventCase;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One WatchSubmission call and what came of it. */
final class Watching
    implements ClientResponseObserver<WatchSubmissionRequest, WatchSubmissionResponse> {
  private static final int MAX_MESSAGE_BYTES = 4 << 20;

  private final List<WatchSubmissionResponse> messages = new CopyOnWriteArrayList<>();
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
  private final boolean byHand;

  @SuppressWarnings("NullAway.Init")
  private ClientCallStreamObserver<WatchSubmissionRequest> call;

  private Watching(boolean byHand) {
    this.byHand = byHand;
  }

  static Watching of(Channel channel, WatchSubmissionRequest request) {
    return start(channel, request, new Watching(false));
  }

  /** Takes no message before it is asked to. */
  static Watching slowly(Channel channel, WatchSubmissionRequest request) {
    return start(channel, request, new Watching(true));
  }

  private static Watching start(
      Channel channel, WatchSubmissionRequest request, Watching watching) {
    SubmissionServiceGrpc.newStub(channel).watchSubmission(request, watching);
    return watching;
  }

  static Watching of(Channel channel, String submissionId) {
    return of(channel, request(submissionId).build());
  }

  static WatchSubmissionRequest.Builder request(String submissionId) {
    return WatchSubmissionRequest.newBuilder().setSubmissionId(submissionId);
  }

  static WatchSubmissionRequest.Builder ofSession(String sessionKey) {
    return WatchSubmissionRequest.newBuilder().setSessionKey(sessionKey);
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<WatchSubmissionRequest> requests) {
    call = requests;
    if (byHand) {
      requests.disableAutoRequestWithInitial(1);
    }
  }

  void take(int more) {
    call.request(more);
  }

  void cancel() {
    call.cancel("the test has seen enough", null);
  }

  @Override
  public void onNext(WatchSubmissionResponse message) {
    messages.add(message);
  }

  @Override
  public void onError(Throwable failure) {
    ended.completeExceptionally(failure);
  }

  @Override
  public void onCompleted() {
    ended.complete(null);
  }

  List<WatchSubmissionResponse> messages() {
    return messages;
  }

  /** What was told, without what only tells how the call stands. */
  List<WatchSubmissionResponse> told() {
    return messages.stream()
        .filter(message -> message.getEventCase() != EventCase.CAUGHT_UP)
        .filter(message -> message.getEventCase() != EventCase.HEARTBEAT)
        .toList();
  }

  /** {@link #told} as texts, each segment by itself, for where a run is cut means nothing. */
  List<String> texts() {
    return texts(told());
  }

  static List<String> texts(List<WatchSubmissionResponse> messages) {
    List<String> texts = new ArrayList<>();
    for (WatchSubmissionResponse message : messages) {
      if (message.getEventCase() == EventCase.SEGMENTS) {
        long index = message.getSegments().getRun().getFirstIndex();
        for (var segment : message.getSegments().getRun().getSegmentsList()) {
          texts.add(index++ + "'" + segment.getText());
        }
      } else {
        texts.add(EventText.of(message));
      }
    }
    return texts;
  }

  Watching await(String sentence, Predicate<List<String>> condition) {
    Wait.until(
        sentence + " was told",
        () -> {
          if (ended.isCompletedExceptionally()) {
            throw new AssertionError("ended before " + sentence + " after " + texts(), failure());
          }
          return condition.test(texts());
        });
    return this;
  }

  Watching await(String text) {
    return await(text, texts -> texts.contains(text));
  }

  Watching awaitCaughtUp() {
    Wait.until(
        "caught up, was told " + texts(),
        () -> messages.stream().anyMatch(message -> message.hasCaughtUp()));
    return this;
  }

  /** Everything, the call having ended as it should; checks what holds for every message. */
  Watching awaitEnd() {
    try {
      ended.get(30, TimeUnit.SECONDS);
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("no end after " + texts(), e);
    } catch (ExecutionException e) {
      throw new AssertionError("failed after " + texts(), e.getCause());
    }
    for (int i = 0; i < messages.size(); i++) {
      WatchSubmissionResponse message = messages.get(i);
      assertTrue(message.getSerializedSize() < MAX_MESSAGE_BYTES);
      assertEquals(message.hasHeartbeat(), message.getCursor().isEmpty());
      assertTrue(message.getCursor().length() <= 512);
      assertTrue(message.getCursor().chars().allMatch(c -> c > ' ' && c < 0x7f));
      assertEquals(i == messages.size() - 1, message.hasEnd());
    }
    return this;
  }

  Refused awaitRefusal() {
    Wait.until("the call ends", ended::isDone);
    return Refused.of((StatusRuntimeException) failure());
  }

  private Throwable failure() {
    assertTrue(ended.isCompletedExceptionally());
    try {
      ended.join();
    } catch (java.util.concurrent.CompletionException e) {
      return java.util.Objects.requireNonNull(e.getCause());
    }
    throw new AssertionError();
  }

  boolean hasEnded() {
    return ended.isDone();
  }

  String lastCursor() {
    List<WatchSubmissionResponse> told = messages;
    assertFalse(told.isEmpty());
    return told.get(told.size() - 1).getCursor();
  }
}

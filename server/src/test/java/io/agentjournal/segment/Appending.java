package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc.SegmentServiceStub;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One AppendSegments or AppendSession call as its client sees it. Fails when an acknowledgement
 * goes back.
 */
final class Appending {
  private static final long DEADLINE_SECONDS = 120;

  private final Answers<?, ?> answers;
  private final ClientCallStreamObserver<?> call;
  private final Consumer<AppendSegmentsRequest> sender;

  private Appending(
      Answers<?, ?> answers,
      ClientCallStreamObserver<?> call,
      Consumer<AppendSegmentsRequest> sender) {
    this.answers = answers;
    this.call = call;
    this.sender = sender;
  }

  static Appending segments(Channel channel) {
    Answers<AppendSegmentsRequest, AppendSegmentsResponse> answers = new Answers<>(true);
    var requests =
        (ClientCallStreamObserver<AppendSegmentsRequest>) stub(channel).appendSegments(answers);
    return new Appending(answers, requests, requests::onNext);
  }

  static Appending session(Channel channel) {
    return session(channel, true);
  }

  /** Takes no answer before {@link #take}. */
  static Appending sessionThatDoesNotRead(Channel channel) {
    return session(channel, false);
  }

  private static Appending session(Channel channel, boolean readsByItself) {
    Answers<AppendSessionRequest, AppendSessionResponse> answers = new Answers<>(readsByItself);
    var requests =
        (ClientCallStreamObserver<AppendSessionRequest>) stub(channel).appendSession(answers);
    return new Appending(answers, requests, message -> requests.onNext(ofSession(message)));
  }

  private static SegmentServiceStub stub(Channel channel) {
    return SegmentServiceGrpc.newStub(channel)
        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private static AppendSessionRequest ofSession(AppendSegmentsRequest message) {
    try {
      return AppendSessionRequest.parseFrom(message.toByteString());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  Appending send(AppendSegmentsRequest message) {
    sender.accept(message);
    return this;
  }

  Appending open(StreamOpen open) {
    return send(AppendSegmentsRequest.newBuilder().setOpen(open).build());
  }

  Appending texts(long firstIndex, String... texts) {
    return segments(firstIndex, Stream.of(texts).map(TestStream::segment).toList());
  }

  Appending segments(long firstIndex, List<Segment> segments) {
    return send(
        AppendSegmentsRequest.newBuilder()
            .setFirstIndex(firstIndex)
            .addAllSegments(segments)
            .build());
  }

  Appending end(String finishReason) {
    return send(
        AppendSegmentsRequest.newBuilder()
            .setEnd(StreamEnd.newBuilder().setFinishReason(finishReason))
            .build());
  }

  Appending halfClose() {
    call.onCompleted();
    return this;
  }

  void cancel() {
    call.cancel("the client goes away", null);
  }

  /** Whether the transport would take another message now. */
  boolean isReady() {
    return call.isReady();
  }

  void take(int answersToTake) {
    call.request(answersToTake);
  }

  List<AppendSegmentsResponse> answers() {
    synchronized (answers) {
      return List.copyOf(answers.told);
    }
  }

  boolean isOver() {
    synchronized (answers) {
      return answers.completed || answers.failure != null;
    }
  }

  /** By System.nanoTime. */
  long endedAtNanos() {
    synchronized (answers) {
      return answers.endedAtNanos;
    }
  }

  /** Waits until an answer says that segments below it are durable. */
  AppendSegmentsResponse awaitNextIndex(long nextIndex) {
    return awaitAnswer("next_index " + nextIndex, answer -> answer.getNextIndex() >= nextIndex);
  }

  /** Waits for an answer of which the sentence is true. */
  AppendSegmentsResponse awaitAnswer(String sentence, Predicate<AppendSegmentsResponse> condition) {
    Wait.until(sentence, () -> isOver() || answers().stream().anyMatch(condition));
    return answers().stream()
        .filter(condition)
        .findFirst()
        .orElseThrow(() -> new AssertionError("over without " + sentence, answers.failure));
  }

  /** Waits until the server has ended the call; throws when it failed. */
  AppendSegmentsResponse awaitEnd() {
    Wait.until("end of the append", this::isOver);
    synchronized (answers) {
      if (answers.failure != null) {
        throw answers.failure;
      }
      assertFalse(answers.wentBack, () -> "went back: " + answers.told);
      return answers.last();
    }
  }

  Refused awaitRefusal() {
    Wait.until("refusal of the append", this::isOver);
    synchronized (answers) {
      assertNotNull(answers.failure, () -> "it ended well: " + answers.told);
      return Refused.of(answers.failure);
    }
  }

  /** Everything in it is guarded by itself. */
  private static final class Answers<ReqT, RespT extends Message>
      implements ClientResponseObserver<ReqT, RespT> {
    private final boolean readsByItself;
    private final List<AppendSegmentsResponse> told = new ArrayList<>();
    private boolean wentBack;
    private boolean completed;
    private @Nullable StatusRuntimeException failure;
    private long endedAtNanos;

    Answers(boolean readsByItself) {
      this.readsByItself = readsByItself;
    }

    private AppendSegmentsResponse last() {
      return told.get(told.size() - 1);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<ReqT> started) {
      if (!readsByItself) {
        started.disableAutoRequestWithInitial(0);
      }
    }

    @Override
    public synchronized void onNext(RespT answer) {
      try {
        AppendSegmentsResponse next = AppendSegmentsResponse.parseFrom(answer.toByteString());
        wentBack |= !told.isEmpty() && next.getNextIndex() < last().getNextIndex();
        told.add(next);
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public synchronized void onError(Throwable cause) {
      failure = (StatusRuntimeException) cause;
      endedAtNanos = System.nanoTime();
    }

    @Override
    public synchronized void onCompleted() {
      completed = true;
      endedAtNanos = System.nanoTime();
    }
  }
}

package io.agentjournal.run;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AppendEventsSessionRequest;
import io.agentjournal.v1.AppendEventsSessionResponse;
import io.agentjournal.v1.AppendMode;
import io.agentjournal.v1.Event;
import io.agentjournal.v1.EventsOpen;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One AppendEventsSession call as its client sees it. Fails when an answer goes back. Everything in
 * it is guarded by itself.
 */
final class EventSession
    implements ClientResponseObserver<AppendEventsSessionRequest, AppendEventsSessionResponse> {
  private static final long DEADLINE_SECONDS = 120;

  private final boolean readsByItself;
  private final ClientCallStreamObserver<AppendEventsSessionRequest> call;
  private final List<AppendEventsSessionResponse> answers = new ArrayList<>();
  private boolean wentBack;
  private boolean completed;
  private @Nullable StatusRuntimeException failure;

  private EventSession(Channel channel, boolean readsByItself) {
    this.readsByItself = readsByItself;
    this.call =
        (ClientCallStreamObserver<AppendEventsSessionRequest>)
            RunJournalServiceGrpc.newStub(channel)
                .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                .appendEventsSession(this);
  }

  static EventSession on(Channel channel) {
    return new EventSession(channel, true);
  }

  /** Takes no answer before {@link #take}. */
  static EventSession thatDoesNotRead(Channel channel) {
    return new EventSession(channel, false);
  }

  EventSession open(String runId, AppendMode mode, String claimId) {
    return send(
        AppendEventsSessionRequest.newBuilder()
            .setOpen(
                EventsOpen.newBuilder().setRunId(runId).setMode(mode).setClaimId(claimId).build())
            .build());
  }

  EventSession open(String runId, AppendMode mode) {
    return open(runId, mode, "");
  }

  /** One message. */
  EventSession append(Event... events) {
    return send(AppendEventsSessionRequest.newBuilder().addAllEvents(List.of(events)).build());
  }

  EventSession send(AppendEventsSessionRequest message) {
    call.onNext(message);
    return this;
  }

  EventSession halfClose() {
    call.onCompleted();
    return this;
  }

  void cancel() {
    call.cancel("the client goes away", null);
  }

  boolean isReady() {
    return call.isReady();
  }

  void take(int answersToTake) {
    call.request(answersToTake);
  }

  synchronized List<AppendEventsSessionResponse> answers() {
    return List.copyOf(answers);
  }

  synchronized boolean isOver() {
    return completed || failure != null;
  }

  /** Numbers that were told, over all answers. */
  List<Long> unchangedEvents() {
    return answers().stream().flatMap(answer -> answer.getUnchangedEventsList().stream()).toList();
  }

  /** So many as the last answer told. */
  synchronized long durableEvents() {
    return answers.isEmpty() ? 0 : answers.get(answers.size() - 1).getDurableEvents();
  }

  void awaitDurable(long events) {
    Wait.until(events + " durable events", () -> isOver() || durableEvents() >= events);
    synchronized (this) {
      if (durableEvents() < events) {
        throw new AssertionError("over after " + durableEvents() + " events", failure);
      }
    }
  }

  /** Waits until the server has ended the call; throws when it failed. */
  AppendEventsSessionResponse awaitEnd() {
    Wait.until("end of the session", this::isOver);
    synchronized (this) {
      if (failure != null) {
        throw failure;
      }
      assertFalse(wentBack, answers::toString);
      return answers.isEmpty()
          ? AppendEventsSessionResponse.getDefaultInstance()
          : answers.get(answers.size() - 1);
    }
  }

  Refused awaitRefusal() {
    return Refused.of(awaitFailure());
  }

  StatusRuntimeException awaitFailure() {
    Wait.until("failure of the session", this::isOver);
    synchronized (this) {
      assertNotNull(failure, () -> "it ended well: " + answers);
      return failure;
    }
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<AppendEventsSessionRequest> started) {
    if (!readsByItself) {
      started.disableAutoRequestWithInitial(0);
    }
  }

  @Override
  public synchronized void onNext(AppendEventsSessionResponse answer) {
    wentBack |= answer.getDurableEvents() < durableEvents();
    answers.add(answer);
  }

  @Override
  public synchronized void onError(Throwable cause) {
    failure = (StatusRuntimeException) cause;
  }

  @Override
  public synchronized void onCompleted() {
    completed = true;
  }
}

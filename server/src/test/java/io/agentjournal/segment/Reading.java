package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.ReadEnd;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One ReadSegments call as its client sees it. Fails on the spot when segments come twice, out of
 * order or with a hole, and when anything comes after the end.
 */
final class Reading implements ClientResponseObserver<ReadSegmentsRequest, ReadSegmentsResponse> {
  private final boolean readsByItself;
  private final List<ReadSegmentsResponse> events = new ArrayList<>();
  private final List<Segment> segments = new ArrayList<>();
  private @Nullable ClientCallStreamObserver<ReadSegmentsRequest> call;
  private @Nullable String disorder;
  private @Nullable ReadEnd end;
  private @Nullable StatusRuntimeException failure;
  private long firstIndex = -1;
  private boolean completed;

  private Reading(boolean readsByItself) {
    this.readsByItself = readsByItself;
  }

  static Reading of(Channel channel, ReadSegmentsRequest.Builder request) {
    return begin(new Reading(true), channel, request, 60);
  }

  static Reading withDeadline(
      Channel channel, ReadSegmentsRequest.Builder request, long deadlineMillis) {
    Reading reading = new Reading(true);
    SegmentServiceGrpc.newStub(channel)
        .withDeadlineAfter(deadlineMillis, TimeUnit.MILLISECONDS)
        .readSegments(request.build(), reading);
    return reading;
  }

  /** Takes no message before {@link #take}. */
  static Reading ofOneThatDoesNotRead(Channel channel, ReadSegmentsRequest.Builder request) {
    return begin(new Reading(false), channel, request, 120);
  }

  private static Reading begin(
      Reading reading, Channel channel, ReadSegmentsRequest.Builder request, long seconds) {
    SegmentServiceGrpc.newStub(channel)
        .withDeadlineAfter(seconds, TimeUnit.SECONDS)
        .readSegments(request.build(), reading);
    return reading;
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<ReadSegmentsRequest> started) {
    call = started;
    if (!readsByItself) {
      started.disableAutoRequestWithInitial(0);
    }
  }

  void take(int messages) {
    assertNotNull(call);
    call.request(messages);
  }

  void cancel() {
    assertNotNull(call);
    call.cancel("enough", null);
  }

  @Override
  public synchronized void onNext(ReadSegmentsResponse event) {
    if (end != null) {
      disorder = "something after the end: " + event;
    }
    events.add(event);
    if (event.hasRun()) {
      if (firstIndex < 0) {
        firstIndex = event.getRun().getFirstIndex();
      } else if (event.getRun().getFirstIndex() != nextIndex()) {
        disorder = event.getRun().getFirstIndex() + " instead of " + nextIndex();
      }
      segments.addAll(event.getRun().getSegmentsList());
    }
    if (event.hasEnd()) {
      end = event.getEnd();
    }
  }

  @Override
  public synchronized void onError(Throwable cause) {
    failure = (StatusRuntimeException) cause;
  }

  @Override
  public synchronized void onCompleted() {
    completed = true;
  }

  synchronized List<ReadSegmentsResponse> events() {
    return List.copyOf(events);
  }

  /** Index of the first segment that came. */
  synchronized long firstIndex() {
    return firstIndex;
  }

  private synchronized long nextIndex() {
    return firstIndex + segments.size();
  }

  synchronized List<Segment> segments() {
    assertNull(disorder);
    return List.copyOf(segments);
  }

  synchronized int count() {
    return segments.size();
  }

  List<String> texts() {
    return segments().stream().map(Segment::getText).toList();
  }

  Reading awaitSegments(int count) {
    Wait.until(count + " segments", () -> count() >= count || isOver());
    assertTrue(count() >= count, () -> count() + " segments of " + count + "; " + failure);
    assertNull(disorder);
    return this;
  }

  Reading awaitCaughtUp() {
    Wait.until(
        "caught up",
        () -> isOver() || events().stream().anyMatch(ReadSegmentsResponse::hasCaughtUp));
    assertTrue(
        events().stream().anyMatch(ReadSegmentsResponse::hasCaughtUp), () -> "over: " + failure);
    return this;
  }

  synchronized boolean isOver() {
    return completed || failure != null;
  }

  /** The typed end; fails when the call was cut or refused instead. */
  ReadEnd awaitEnd() {
    Wait.until("end of the read", this::isOver);
    synchronized (this) {
      assertNull(failure);
      assertNull(disorder);
      assertNotNull(end);
      return end;
    }
  }

  ReadEnd awaitEnd(ReadEndReason reason) {
    ReadEnd typed = awaitEnd();
    assertEquals(reason, typed.getReason());
    return typed;
  }

  /** Fails when the call ended well. */
  StatusRuntimeException awaitFailure() {
    Wait.until("failure of the read", this::isOver);
    synchronized (this) {
      assertNotNull(failure);
      assertNull(disorder);
      return failure;
    }
  }

  Refused awaitRefusal() {
    return Refused.of(awaitFailure());
  }
}

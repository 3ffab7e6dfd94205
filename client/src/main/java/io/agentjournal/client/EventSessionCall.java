package io.agentjournal.client;

import io.agentjournal.v1.AppendEventsSessionRequest;
import io.agentjournal.v1.AppendEventsSessionResponse;
import io.agentjournal.v1.EventsOpen;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One AppendEventsSession call, from open to its status. Used only by tasks of its connection's
 * executor.
 */
final class EventSessionCall
    implements ClientResponseObserver<AppendEventsSessionRequest, AppendEventsSessionResponse> {
  private final EventConnection connection;
  private final long firstNumber;
  private final long startedAt = System.nanoTime();
  private @Nullable ClientCallStreamObserver<AppendEventsSessionRequest> requests;
  private boolean closedByUs;

  private EventSessionCall(EventConnection connection, long firstNumber) {
    this.connection = connection;
    this.firstNumber = firstNumber;
  }

  /**
   * @param firstNumber of the first event that is sent by this call, as the writer counts
   */
  static EventSessionCall start(
      Channel channel,
      Executor executor,
      EventsOpen open,
      long firstNumber,
      EventConnection connection) {
    EventSessionCall call = new EventSessionCall(connection, firstNumber);
    RunJournalServiceGrpc.newStub(channel).withExecutor(executor).appendEventsSession(call);
    call.requests().onNext(AppendEventsSessionRequest.newBuilder().setOpen(open).build());
    return call;
  }

  // --- what the connection does with it

  /** May the next messages be written without piling up in the transport? */
  boolean isReady() {
    return !closedByUs && requests().isReady();
  }

  /** Each in a message of its own: of those before a refused one all are stored. */
  void send(List<OutgoingEvent> events) {
    for (OutgoingEvent outgoing : events) {
      requests()
          .onNext(AppendEventsSessionRequest.newBuilder().addEvents(outgoing.event()).build());
    }
  }

  void halfClose() {
    closedByUs = true;
    requests().onCompleted();
  }

  void cancel(String why) {
    requests().cancel(why, null);
  }

  /** As the writer counts, of what this call counts. */
  long number(long ofThisCall) {
    return firstNumber + ofThisCall;
  }

  /** Which events are durable, as the writer counts, by what ended the call. */
  long durable(CallFailure failure) {
    return number(Long.parseLong(failure.facts().getOrDefault("durable_events", "0")));
  }

  long ageNanos() {
    return System.nanoTime() - startedAt;
  }

  // --- what gRPC tells it

  @Override
  public void beforeStart(ClientCallStreamObserver<AppendEventsSessionRequest> requests) {
    this.requests = requests;
    requests.setOnReadyHandler(() -> connection.ready(this));
  }

  @Override
  public void onNext(AppendEventsSessionResponse answer) {
    connection.acknowledged(this, answer);
  }

  @Override
  public void onError(Throwable thrown) {
    connection.lost(this, CallFailure.of(thrown));
  }

  @Override
  public void onCompleted() {
    if (closedByUs) {
      connection.completed(this);
    } else {
      connection.lost(this, CallFailure.of(Status.UNAVAILABLE.withDescription("the call was cut")));
    }
  }

  private ClientCallStreamObserver<AppendEventsSessionRequest> requests() {
    if (requests == null) {
      throw new IllegalStateException("not started");
    }
    return requests;
  }
}

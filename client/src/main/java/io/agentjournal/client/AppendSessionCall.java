package io.agentjournal.client;

import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One AppendSession call, from open to its status. Used only by tasks of its connection's executor.
 */
final class AppendSessionCall
    implements ClientResponseObserver<AppendSessionRequest, AppendSessionResponse> {
  private final AppendConnection connection;
  private final long startedAt = System.nanoTime();
  private @Nullable ClientCallStreamObserver<AppendSessionRequest> requests;
  private boolean answered;
  private boolean closedByUs;

  /** Set by the first answer: what the server had then, and where this call begins to send. */
  private long openNextIndex;

  private long firstIndex;
  private boolean sending;
  private long duplicates;

  private AppendSessionCall(AppendConnection connection) {
    this.connection = connection;
  }

  static AppendSessionCall start(
      Channel channel, Executor executor, StreamOpen open, AppendConnection connection) {
    AppendSessionCall call = new AppendSessionCall(connection);
    SegmentServiceGrpc.newStub(channel).withExecutor(executor).appendSession(call);
    call.requests().onNext(AppendSessionRequest.newBuilder().setOpen(open).build());
    return call;
  }

  // --- what the connection does with it

  /** May the next message be written without piling up in the transport? */
  boolean isReady() {
    return sending && !closedByUs && requests().isReady();
  }

  void beginSendingAt(long index) {
    firstIndex = index;
    sending = true;
  }

  void send(Outbox.Batch<OutgoingSegment> batch) {
    AppendSessionRequest.Builder message = AppendSessionRequest.newBuilder();
    if (!batch.items().isEmpty()) {
      message.setFirstIndex(batch.first());
      for (OutgoingSegment outgoing : batch.items()) {
        message.addSegments(outgoing.segment());
      }
    }
    if (batch.end() != null) {
      message.setEnd(batch.end());
    }
    requests().onNext(message.build());
  }

  void halfClose() {
    closedByUs = true;
    requests().onCompleted();
  }

  void cancel(String why) {
    requests().cancel(why, null);
  }

  boolean isSending() {
    return sending;
  }

  long openNextIndex() {
    return openNextIndex;
  }

  /** What the server has judged of this call's segments and found stored. */
  long judgedIndex(AppendSessionResponse answer) {
    return Math.min(
        firstIndex + answer.getAppended() + answer.getDuplicates(), answer.getNextIndex());
  }

  /** Since the last answer. */
  long newDuplicates(AppendSessionResponse answer) {
    long more = answer.getDuplicates() - duplicates;
    duplicates = answer.getDuplicates();
    return more;
  }

  long ageNanos() {
    return System.nanoTime() - startedAt;
  }

  // --- what gRPC tells it

  @Override
  public void beforeStart(ClientCallStreamObserver<AppendSessionRequest> requests) {
    this.requests = requests;
    requests.setOnReadyHandler(() -> connection.ready(this));
  }

  @Override
  public void onNext(AppendSessionResponse answer) {
    if (answered) {
      connection.acknowledged(this, answer);
    } else {
      answered = true;
      openNextIndex = answer.getNextIndex();
      connection.opened(this, answer);
    }
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

  private ClientCallStreamObserver<AppendSessionRequest> requests() {
    if (requests == null) {
      throw new IllegalStateException("not started");
    }
    return requests;
  }
}

package io.agentjournal.run;

import io.agentjournal.key.Namespace;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.rpc.Draining;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.v1.AppendEventsRequest;
import io.agentjournal.v1.AppendEventsResponse;
import io.agentjournal.v1.AppendEventsSessionRequest;
import io.agentjournal.v1.AppendEventsSessionResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/**
 * Calls that append: checked, handed to a lane, answered after its commit. No thread waits for one.
 * Thread-safe.
 */
final class AppendCalls {
  /** What is larger takes longer to check than an event loop should be kept. */
  private static final int MAX_BYTES_ON_EVENT_LOOP = 16 << 10;

  private final Parts parts;

  /** What they work with. */
  record Parts(BlockingPool pool, AppendLanes lanes, Draining draining) {
    /** Runs what reads a message of that size: here, or in the pool if it may take long. */
    void whereItMayTakeLong(int sizeBytes, Runnable reading) {
      if (sizeBytes <= MAX_BYTES_ON_EVENT_LOOP) {
        reading.run();
      } else {
        pool.execute(reading);
      }
    }
  }

  AppendCalls(BlockingPool pool, AppendLanes lanes, Draining draining) {
    this.parts = new Parts(pool, lanes, draining);
  }

  /** Of AppendEventsSession: what hears its messages. */
  StreamObserver<AppendEventsSessionRequest> session(
      StreamObserver<AppendEventsSessionResponse> observer) {
    return new AppendSessionCall(
        NamespaceInterceptor.current(),
        parts,
        (ServerCallStreamObserver<AppendEventsSessionResponse>) observer);
  }

  /** Of AppendEvents. To be called from the service's method, which then returns. */
  void answer(AppendEventsRequest request, StreamObserver<AppendEventsResponse> observer) {
    ServerCallStreamObserver<AppendEventsResponse> call =
        (ServerCallStreamObserver<AppendEventsResponse>) observer;
    // With a handler set, answering a cancelled call is no error.
    call.setOnCancelHandler(() -> {});
    Namespace namespace = NamespaceInterceptor.current();
    parts.whereItMayTakeLong(request.getSerializedSize(), () -> submit(namespace, request, call));
  }

  private void submit(
      Namespace namespace, AppendEventsRequest request, StreamObserver<AppendEventsResponse> call) {
    try {
      parts.lanes().append(EventMessages.append(namespace, request), new Answer(call));
    } catch (RuntimeException e) {
      call.onError(e);
    }
  }

  private record Answer(StreamObserver<AppendEventsResponse> call) implements AppendAnswer {
    @Override
    public void appended(Appended appended) {
      call.onNext(EventMessages.from(appended));
      call.onCompleted();
    }

    @Override
    public void failed(Throwable failure) {
      call.onError(failure);
    }
  }
}

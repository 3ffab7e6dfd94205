package io.agentjournal.rpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.function.Supplier;

/** Answers unary calls with work that blocks. Thread-safe. */
public final class UnaryCalls {
  private final BlockingPool pool;

  public UnaryCalls(BlockingPool pool) {
    this.pool = pool;
  }

  /**
   * To be called from the service's method, which then returns. The work's value is the answer;
   * what it throws ends the call by {@link FailureInterceptor}. A call that was cancelled before
   * its turn came is not worked on; one that is cancelled later is worked on to its end.
   */
  public <T> void answer(StreamObserver<T> observer, Supplier<T> work) {
    ServerCallStreamObserver<T> call = (ServerCallStreamObserver<T>) observer;
    // With a handler set, answering a cancelled call is no error.
    call.setOnCancelHandler(() -> {});
    pool.execute(
        () -> {
          if (!call.isCancelled()) {
            answerNow(call, work);
          }
        });
  }

  private static <T> void answerNow(StreamObserver<T> call, Supplier<T> work) {
    T answer;
    try {
      answer = work.get();
    } catch (RuntimeException | Error e) {
      call.onError(e);
      return;
    }
    call.onNext(answer);
    call.onCompleted();
  }
}

package io.agentjournal.rpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers server-streaming calls of a known length with work that blocks: each message is made when
 * the client is ready for it, and in between the call holds no thread. Thread-safe.
 */
public final class StreamedAnswers {
  private final BlockingPool pool;

  public StreamedAnswers(BlockingPool pool) {
    this.pool = pool;
  }

  /**
   * To be called from the service's method, which then returns. The supplier, and hasNext and next
   * of what it gives, run on the pool, one at a time, and may block; between them nothing may be
   * held that others wait for. What they throw ends the call by {@link FailureInterceptor}.
   */
  public <T> void answer(StreamObserver<T> observer, Supplier<Iterator<T>> messages) {
    ServerCallStreamObserver<T> call = (ServerCallStreamObserver<T>) observer;
    StreamedAnswer<T> answer = new StreamedAnswer<>(call, messages);
    // With a handler set, answering a cancelled call is no error.
    call.setOnCancelHandler(() -> {});
    call.setOnReadyHandler(answer::schedule);
    answer.schedule();
  }

  /**
   * One call. Whoever turns {@link #scheduled} on owns it until the client is not ready any more.
   */
  private final class StreamedAnswer<T> {
    private final ServerCallStreamObserver<T> call;
    private final Supplier<Iterator<T>> source;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private @Nullable Iterator<T> messages;
    private boolean ended;

    StreamedAnswer(ServerCallStreamObserver<T> call, Supplier<Iterator<T>> source) {
      this.call = call;
      this.source = source;
    }

    void schedule() {
      if (scheduled.compareAndSet(false, true)) {
        pool.execute(this::run);
      }
    }

    private void run() {
      try {
        sendWhileReady();
        if (!ended) {
          scheduled.set(false);
          scheduleIfReadyAgain();
        }
      } catch (RuntimeException | Error e) {
        ended = true;
        call.onError(e);
      }
    }

    /** The client may have become ready between the last look and giving the turn away. */
    private void scheduleIfReadyAgain() {
      if (call.isReady()) {
        schedule();
      }
    }

    private void sendWhileReady() {
      Iterator<T> rest = messages == null ? source.get() : messages;
      messages = rest;
      while (call.isReady() && !call.isCancelled()) {
        if (!rest.hasNext()) {
          ended = true;
          call.onCompleted();
          return;
        }
        call.onNext(rest.next());
      }
      ended = call.isCancelled();
    }
  }
}

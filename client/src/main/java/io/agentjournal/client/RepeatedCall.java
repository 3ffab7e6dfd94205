package io.agentjournal.client;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Makes blocking calls that may be repeated, until they are answered or there is no hope left.
 * Thread-safe.
 */
final class RepeatedCall {
  private final JournalTransport transport;

  RepeatedCall(JournalTransport transport) {
    this.transport = transport;
  }

  /**
   * @throws JournalException refused, or without an answer for as long as the client was told to
   *     try; also when this thread is interrupted
   */
  <T> T answer(Supplier<T> call) {
    Outage outage = new Outage(transport.retry());
    while (true) {
      long start = System.nanoTime();
      try {
        return call.get();
      } catch (StatusRuntimeException e) {
        CallFailure failure = CallFailure.of(e);
        if (!failure.isTransient()) {
          throw JournalException.of(failure);
        }
        CallFailure hopeless = outage.hopeless(System.nanoTime() - start, failure);
        if (hopeless != null) {
          throw JournalException.of(hopeless);
        }
        if (failure.code() == Status.Code.DEADLINE_EXCEEDED) {
          transport.leaveConnection();
        }
      }
      pause(outage);
      transport.connectNow();
    }
  }

  private void pause(Outage outage) {
    long end = System.nanoTime() + outage.pause().toNanos();
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      if (Thread.currentThread().isInterrupted() || transport.isClosed()) {
        throw JournalException.of(
            CallFailure.of(Status.CANCELLED.withDescription("gave up waiting for the journal")));
      }
    }
  }
}

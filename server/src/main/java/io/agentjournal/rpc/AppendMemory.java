package io.agentjournal.rpc;

import io.grpc.stub.ServerCallStreamObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all append calls of one kind have under way in a server, in bytes. While it is full no call
 * asks its client for more. Thread-safe, never blocks.
 *
 * <p>Who comes here may hold the lock of a call. So nothing of another call is run here that takes
 * that one's: two calls that make room for each other would wait for each other.
 */
public final class AppendMemory {
  private final long maxBytes;
  private final AtomicLong bytes = new AtomicLong();
  private final Queue<ServerCallStreamObserver<?>> waiting = new ArrayDeque<>();

  public AppendMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  public void take(long taken) {
    bytes.addAndGet(taken);
  }

  /** Takes nothing when it would be more than may be under way. */
  public boolean tryTake(long taken) {
    boolean fits = bytes.addAndGet(taken) <= maxBytes;
    if (!fits) {
      bytes.addAndGet(-taken);
    }
    return fits;
  }

  public boolean isFull() {
    return bytes.get() > maxBytes;
  }

  public void give(long given) {
    long left = bytes.addAndGet(-given);
    if (left <= maxBytes && left + given > maxBytes) {
      requestOfWaiting();
    }
  }

  /** Asks for the call's next message, now or once there is room. */
  public void request(ServerCallStreamObserver<?> call) {
    if (!isFull()) {
      call.request(1);
      return;
    }
    synchronized (waiting) {
      waiting.add(call);
    }
    if (!isFull()) {
      requestOfWaiting();
    }
  }

  private void requestOfWaiting() {
    List<ServerCallStreamObserver<?>> calls;
    synchronized (waiting) {
      calls = new ArrayList<>(waiting);
      waiting.clear();
    }
    calls.forEach(call -> call.request(1));
  }
}

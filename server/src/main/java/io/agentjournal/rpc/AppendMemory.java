package io.agentjournal.rpc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all append calls of one kind have under way in a server, in bytes. A call that finds it full
 * stops asking its client for more and is resumed when there is room. Thread-safe, never blocks.
 */
public final class AppendMemory {
  private final long maxBytes;
  private final AtomicLong bytes = new AtomicLong();
  private final Queue<Runnable> parked = new ArrayDeque<>();

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
      resumeParked();
    }
  }

  /** Runs the task once there is room, which may be at once. */
  public void whenFree(Runnable resume) {
    synchronized (parked) {
      parked.add(resume);
    }
    if (!isFull()) {
      resumeParked();
    }
  }

  private void resumeParked() {
    List<Runnable> resumed;
    synchronized (parked) {
      resumed = new ArrayList<>(parked);
      parked.clear();
    }
    resumed.forEach(Runnable::run);
  }
}

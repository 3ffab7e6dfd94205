package io.agentjournal.segment;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all append calls of a server have under way, in bytes. A call that finds it full stops
 * asking its client for more and is resumed when there is room. Thread-safe, never blocks.
 */
final class AppendMemory {
  private final long maxBytes;
  private final AtomicLong bytes = new AtomicLong();
  private final Queue<Runnable> parked = new ArrayDeque<>();

  AppendMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  void take(int taken) {
    bytes.addAndGet(taken);
  }

  boolean isFull() {
    return bytes.get() > maxBytes;
  }

  void give(int given) {
    long left = bytes.addAndGet(-given);
    if (left <= maxBytes && left + given > maxBytes) {
      resumeParked();
    }
  }

  /** Runs the task once there is room, which may be at once. */
  void whenFree(Runnable resume) {
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

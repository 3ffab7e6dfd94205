package io.agentjournal.background;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * A thread that works, pauses, and works again until it is closed. Nobody interrupts it: whoever
 * closes it ends its pause, and waits for the work that is under way. Thread-safe; only its own
 * work pauses and waits.
 */
public final class PausingThread implements AutoCloseable {
  private final Work work;
  private final Thread thread;
  private boolean closed;

  /** Its work is not begun before {@link #start}. */
  public PausingThread(String name, Work work) {
    this.work = work;
    this.thread = new Thread(this::run, name);
  }

  /** All that the thread does. It returns soon after {@link #isClosed} has become true. */
  @FunctionalInterface
  public interface Work {
    void run() throws InterruptedException;
  }

  public void start() {
    thread.start();
  }

  private void run() {
    try {
      work.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public synchronized boolean isClosed() {
    return closed;
  }

  /** Blocks for that long, or until it is closed. */
  public synchronized void pause(Duration time) throws InterruptedException {
    long beganNanos = System.nanoTime();
    for (long left = time.toNanos();
        left > 0 && !closed;
        left = time.toNanos() - (System.nanoTime() - beganNanos)) {
      // Rounded up: to wait for 0 is to wait for ever.
      wait(left / 1_000_000 + 1);
    }
  }

  /**
   * Blocks until there is something to do; false: it is closed. Whoever gives it something to do
   * calls {@link #wake}, and holds no lock then that the question takes.
   */
  public synchronized boolean awaitWork(BooleanSupplier isThereSome) throws InterruptedException {
    while (!closed && !isThereSome.getAsBoolean()) {
      wait();
    }
    return !closed;
  }

  /** It asks again whether there is something to do. Does not end a pause. */
  public synchronized void wake() {
    notifyAll();
  }

  /** Blocks until the work has returned. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

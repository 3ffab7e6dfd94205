package io.agentjournal.rpc;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs one step again and again: at least once after each signal, never two at a time, each seeing
 * what the one before it did. Thread-safe; signalling does not block.
 */
public final class Steps {
  private final Executor executor;
  private final Runnable step;
  private final AtomicInteger signals = new AtomicInteger();

  public Steps(Executor executor, Runnable step) {
    this.executor = executor;
    this.step = step;
  }

  public void signal() {
    if (signals.getAndIncrement() == 0) {
      executor.execute(this::run);
    }
  }

  private void run() {
    int seen = signals.get();
    step.run();
    // Signals that came meanwhile take their turn behind those of others.
    if (!signals.compareAndSet(seen, 0)) {
      executor.execute(this::run);
    }
  }
}

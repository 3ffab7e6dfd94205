package io.agentjournal.recovery;

import io.agentjournal.database.DatabaseUnavailable;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for what became recoverable, for all watching calls of this server: one thread and one
 * statement every 250 ms, and none while nobody watches. Thread-safe. Starts when it is made.
 */
public final class RecoverableWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RecoverableWatch.class);
  private static final Duration INTERVAL = Duration.ofMillis(250);

  /**
   * How far back each look reaches: a request of recovery is stamped when its transaction begins,
   * and seen later.
   */
  static final Duration OVERLAP = Duration.ofSeconds(15);

  private final OverdueStore store;
  private final Set<Watcher> watchers = new LinkedHashSet<>();
  private final Thread thread;
  private boolean closed;
  private boolean failing;

  public RecoverableWatch(OverdueStore store) {
    this.store = store;
    this.thread = new Thread(this::run, "recoverable-watch");
    thread.start();
  }

  /** Told on the watch's thread, of some of them more than once; it must not block. */
  @FunctionalInterface
  interface Watcher {
    void found(List<Overdue> overdue);
  }

  synchronized void add(Watcher watcher) {
    watchers.add(watcher);
    notifyAll();
  }

  synchronized void remove(Watcher watcher) {
    watchers.remove(watcher);
  }

  private void run() {
    try {
      for (List<Watcher> told = awaitSome(); !told.isEmpty(); told = awaitSome()) {
        List<Overdue> overdue = look();
        if (!overdue.isEmpty()) {
          told.forEach(watcher -> tell(watcher, overdue));
        }
        pause();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Empty: closed. */
  private synchronized List<Watcher> awaitSome() throws InterruptedException {
    while (watchers.isEmpty() && !closed) {
      wait();
    }
    return closed ? List.of() : List.copyOf(watchers);
  }

  private List<Overdue> look() {
    try {
      List<Overdue> found = store.recent(OVERLAP.toMillis());
      failing = false;
      return found;
    } catch (DatabaseUnavailable e) {
      if (!failing) {
        LOG.warn("Watching goes on when the database is back: {}", e.getMessage());
      }
      failing = true;
      return List.of();
    }
  }

  private static void tell(Watcher watcher, List<Overdue> overdue) {
    try {
      watcher.found(overdue);
    } catch (RuntimeException e) {
      LOG.error("A watching call failed", e);
    }
  }

  private synchronized void pause() throws InterruptedException {
    long untilNanos = System.nanoTime() + INTERVAL.toNanos();
    for (long left = INTERVAL.toNanos();
        left > 0 && !closed;
        left = untilNanos - System.nanoTime()) {
      wait(left / 1_000_000, (int) (left % 1_000_000));
    }
  }

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

package io.agentjournal.recovery;

import io.agentjournal.background.PausingThread;
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
  private final PausingThread thread;
  private boolean failing;

  public RecoverableWatch(OverdueStore store) {
    this.store = store;
    this.thread = new PausingThread("recoverable-watch", this::run);
    thread.start();
  }

  /** Told on the watch's thread, of some of them more than once; it must not block. */
  @FunctionalInterface
  interface Watcher {
    void found(List<Overdue> overdue);
  }

  void add(Watcher watcher) {
    synchronized (this) {
      watchers.add(watcher);
    }
    thread.wake();
  }

  synchronized void remove(Watcher watcher) {
    watchers.remove(watcher);
  }

  private void run() throws InterruptedException {
    while (thread.awaitWork(this::isWatched)) {
      List<Overdue> overdue = look();
      if (!overdue.isEmpty()) {
        watchers().forEach(watcher -> tell(watcher, overdue));
      }
      thread.pause(INTERVAL);
    }
  }

  private synchronized boolean isWatched() {
    return !watchers.isEmpty();
  }

  private synchronized List<Watcher> watchers() {
    return List.copyOf(watchers);
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
    } catch (RuntimeException e) {
      if (!failing) {
        LOG.error("The watch could not look, and goes on looking", e);
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

  @Override
  public void close() {
    thread.close();
  }
}

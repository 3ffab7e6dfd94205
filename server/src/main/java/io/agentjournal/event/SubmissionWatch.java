package io.agentjournal.event;

import io.agentjournal.database.DatabaseFailure;
import io.agentjournal.database.DatabaseUnavailable;
import io.agentjournal.database.Transactions;
import io.agentjournal.segment.StreamStretch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for news for all watches of this server that wait: one thread, which sleeps while none
 * does, and one statement for each kind of news however many they are. Tokens come with the look;
 * for whom something else happened, the watch looks for itself. Without a database nobody is told
 * anything. Thread-safe. Starts when it is made.
 */
final class SubmissionWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SubmissionWatch.class);
  private static final Duration INTERVAL = Duration.ofMillis(25);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Transactions transactions;
  private final WaitingRows rows = new WaitingRows();
  private final Set<WaitingWatch> waiting = new LinkedHashSet<>();
  private final Thread thread;
  private boolean closed;

  // --- Only the thread uses what follows.
  private final WatchSchedule schedule = new WatchSchedule();
  private boolean failing;

  SubmissionWatch(Transactions transactions) {
    this.transactions = transactions;
    this.thread = new Thread(this::run, "submission-watch");
    thread.start();
  }

  /** What came since its position was looked at is told, too. */
  synchronized void await(WaitingWatch watch) {
    waiting.add(watch);
    notifyAll();
  }

  /** For one that has gone. */
  synchronized void forget(WaitingWatch watch) {
    waiting.remove(watch);
  }

  private void run() {
    try {
      for (List<WaitingWatch> all = awaitSome(); !all.isEmpty(); all = awaitSome()) {
        long startNanos = System.nanoTime();
        news(schedule.due(all, startNanos)).forEach(this::tell);
        pause(failing ? 0 : System.nanoTime() - startNanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Empty: closed. */
  private synchronized List<WaitingWatch> awaitSome() throws InterruptedException {
    while (waiting.isEmpty() && !closed) {
      wait();
    }
    return closed ? List.of() : new ArrayList<>(waiting);
  }

  private Map<WaitingWatch, Optional<StreamStretch>> news(List<WaitingWatch> due) {
    if (due.isEmpty()) {
      return Map.of();
    }
    try {
      Map<WaitingWatch, Optional<StreamStretch>> news =
          transactions.readOnly("watch submissions", tx -> rows.news(tx, due));
      failing = false;
      return news;
    } catch (DatabaseUnavailable | DatabaseFailure e) {
      if (!failing) {
        LOG.warn("Submissions are not watched until the database is back: {}", e.getMessage());
      }
      failing = true;
      return Map.of();
    }
  }

  private void tell(WaitingWatch watch, Optional<StreamStretch> stretch) {
    synchronized (this) {
      if (!waiting.remove(watch)) {
        return;
      }
    }
    try {
      watch.tell(stretch.orElse(null));
    } catch (RuntimeException e) {
      LOG.error("A watching call failed", e);
    }
  }

  /** A look that takes long makes the next one come later. */
  private synchronized void pause(long tookNanos) throws InterruptedException {
    long now = System.nanoTime();
    long pauseNanos = Math.max(INTERVAL.toNanos() - tookNanos, tookNanos);
    long untilNanos = now + Math.min(pauseNanos, LONGEST_PAUSE_NANOS);
    for (long left = untilNanos - now; left > 0 && !closed; left = untilNanos - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
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

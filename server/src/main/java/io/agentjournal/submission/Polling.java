package io.agentjournal.submission;

import io.agentjournal.database.DatabaseUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls of one server that wait for something in the database, looked for by one thread for all of
 * them, which sleeps while nobody waits. A look that takes long makes the next one come later, by a
 * second at most, so that looking takes little of the database's time. Another thread wakes those
 * whose time is over, however long a look takes. Thread-safe.
 *
 * @param <W> one waiting call; told apart by identity
 */
final class Polling<W extends Polling.Waiting> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Polling.class);
  private static final int SHARE_OF_TIME = 10;
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String name;
  private final Duration interval;
  private final Look<W> look;
  private final Set<W> waiting = new LinkedHashSet<>();
  private final Thread thread;
  private final Thread clock;
  private boolean closed;
  private boolean failing;
  private boolean hurried;

  Polling(String name, Duration interval, Look<W> look) {
    this.name = name;
    this.interval = interval;
    this.look = look;
    this.thread = new Thread(this::run, name);
    this.clock = new Thread(this::wakeInTime, name + "-clock");
    thread.start();
    clock.start();
  }

  /** A call that waits. It has no equality but its own. */
  interface Waiting {
    /** {@link System#nanoTime} at which it stops waiting by itself. */
    long untilNanos();

    /** Runs once, on a thread of the polling or on the one that closes, and must not block. */
    void wakeUp();
  }

  /** Finds out who of those that wait need not wait any longer. May block. */
  @FunctionalInterface
  interface Look<W> {
    List<W> found(List<W> waiting);
  }

  /** Wakes it at once if this is closed. */
  void add(W call) {
    synchronized (this) {
      if (!closed) {
        waiting.add(call);
        notifyAll();
        return;
      }
    }
    call.wakeUp();
  }

  /** Takes back one that is not to be woken any more; false: it has been. */
  synchronized boolean remove(W call) {
    return waiting.remove(call);
  }

  /** There may be something to find: looks without waiting for its time. Does not block. */
  synchronized void lookNow() {
    if (!waiting.isEmpty()) {
      hurried = true;
      notifyAll();
    }
  }

  private void run() {
    try {
      for (List<W> calls = awaitSome(); !calls.isEmpty(); calls = awaitSome()) {
        long startNanos = System.nanoTime();
        wake(found(calls));
        pause(failing ? 0 : System.nanoTime() - startNanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Empty: closed. */
  private synchronized List<W> awaitSome() throws InterruptedException {
    while (waiting.isEmpty() && !closed) {
      wait();
    }
    return closed ? List.of() : new ArrayList<>(waiting);
  }

  private List<W> found(List<W> calls) {
    try {
      List<W> found = look.found(calls);
      failing = false;
      return found;
    } catch (DatabaseUnavailable e) {
      if (!failing) {
        LOG.warn("{} goes on when the database is back: {}", name, e.getMessage());
      }
      failing = true;
      return List.of();
    }
  }

  private void wake(List<W> calls) {
    for (W call : calls) {
      if (remove(call)) {
        call.wakeUp();
      }
    }
  }

  private void wakeInTime() {
    try {
      for (List<W> over = awaitOver(); !over.isEmpty(); over = awaitOver()) {
        wake(over);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Those whose time is over. Empty: closed. */
  private synchronized List<W> awaitOver() throws InterruptedException {
    while (!closed) {
      long now = System.nanoTime();
      long leastLeft = Long.MAX_VALUE;
      List<W> over = new ArrayList<>();
      for (W call : waiting) {
        long left = call.untilNanos() - now;
        leastLeft = Math.min(leastLeft, left);
        if (left <= 0) {
          over.add(call);
        }
      }
      if (!over.isEmpty()) {
        return over;
      }
      TimeUnit.NANOSECONDS.timedWait(this, leastLeft);
    }
    return List.of();
  }

  private synchronized void pause(long tookNanos) throws InterruptedException {
    long now = System.nanoTime();
    long pauseNanos =
        Math.min(
            Math.max(interval.toNanos() - tookNanos, tookNanos * (SHARE_OF_TIME - 1)),
            LONGEST_PAUSE_NANOS);
    for (long waited = 0; waited < pauseNanos && !closed; waited = System.nanoTime() - now) {
      // In a hurry it still leaves the database as much time as it took.
      long left = (hurried ? Math.min(tookNanos, pauseNanos) : pauseNanos) - waited;
      if (left <= 0) {
        break;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    hurried = false;
  }

  /** Whoever is added is woken at once. */
  synchronized boolean hasEnded() {
    return closed;
  }

  /** From now on nobody waits any more. Does not block. */
  void end() {
    List<W> left;
    synchronized (this) {
      closed = true;
      left = new ArrayList<>(waiting);
      waiting.clear();
      notifyAll();
    }
    left.forEach(Waiting::wakeUp);
  }

  @Override
  public void close() {
    end();
    try {
      thread.join();
      clock.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

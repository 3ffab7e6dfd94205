package io.agentjournal.client;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What writers, readers and keepers of one client share: the way to the server, and time. */
final class JournalTransport {
  /** Many writers lose a connection at once; the channel is told once. */
  private static final long NUDGE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final long ABANDON_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Channel calls;
  private final @Nullable ManagedChannel connections;
  private final ScheduledExecutorService timer;
  private final Executor threads;
  private final RetryTimes retry;
  private final AtomicLong nudgedAt = new AtomicLong(System.nanoTime() - NUDGE_NANOS);
  private final AtomicLong abandonedAt = new AtomicLong(System.nanoTime() - ABANDON_NANOS);
  private final Set<Runnable> users = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  JournalTransport(
      Channel calls,
      @Nullable ManagedChannel connections,
      ScheduledExecutorService timer,
      Executor threads,
      RetryTimes retry) {
    this.calls = calls;
    this.connections = connections;
    this.timer = timer;
    this.threads = threads;
    this.retry = retry;
  }

  Channel calls() {
    return calls;
  }

  RetryTimes retry() {
    return retry;
  }

  boolean isClosed() {
    return closed;
  }

  /** {@code closing} is run when the client closes. */
  void register(Runnable closing) {
    users.add(closing);
    if (closed) {
      users.remove(closing);
      throw new IllegalStateException("the client is closed");
    }
  }

  void unregister(Runnable closing) {
    users.remove(closing);
  }

  /** Tells whoever is registered. Repeats are harmless. */
  void close() {
    closed = true;
    users.forEach(Runnable::run);
  }

  SerialExecutor newSerialExecutor() {
    return new SerialExecutor(threads);
  }

  void schedule(Duration delay, Executor on, Runnable task) {
    ScheduledFuture<?> unused =
        timer.schedule(() -> on.execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Before a repeat: the channel's own pause between attempts to connect may be two minutes long.
   */
  void connectNow() {
    if (connections != null && elapsed(nudgedAt, NUDGE_NANOS)) {
      connections.resetConnectBackoff();
    }
  }

  /** After silence: calls that are begun from now on get another connection, those in it stay. */
  void leaveConnection() {
    if (connections != null && elapsed(abandonedAt, ABANDON_NANOS)) {
      connections.enterIdle();
    }
  }

  private static boolean elapsed(AtomicLong since, long nanos) {
    long last = since.get();
    long now = System.nanoTime();
    return now - last >= nanos && since.compareAndSet(last, now);
  }
}

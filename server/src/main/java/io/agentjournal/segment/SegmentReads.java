package io.agentjournal.segment;

import io.agentjournal.database.Transactions;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.rpc.Draining;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * What all reads of one server share. They take their steps on few threads, none of which ever
 * waits for anything: looking at the table is left to the blocking pool.
 */
public final class SegmentReads implements AutoCloseable {
  private static final int THREADS = Math.max(2, Runtime.getRuntime().availableProcessors());

  private final PageStore store;
  private final StreamChanges changes;
  private final BlockingPool pool;
  private final Draining draining;
  private final ScheduledThreadPoolExecutor threads;
  private final LongAdder heldBytes = new LongAdder();

  public SegmentReads(
      Transactions transactions, StreamChanges changes, BlockingPool pool, Draining draining) {
    this.store = new PageStore(transactions, new StreamHeads());
    this.changes = changes;
    this.pool = pool;
    this.draining = draining;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ScheduledThreadPoolExecutor(
            THREADS, task -> new Thread(task, "reads-" + number.getAndIncrement()));
    // Of calls that have ended nothing stays.
    threads.setRemoveOnCancelPolicy(true);
    threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  PageStore store() {
    return store;
  }

  StreamChanges changes() {
    return changes;
  }

  public BlockingPool pool() {
    return pool;
  }

  /** Of what all readers have been given and have not sent yet. */
  LongAdder heldBytes() {
    return heldBytes;
  }

  public boolean isDraining() {
    return draining.begun();
  }

  public Registration onDraining(Runnable listener) {
    return draining.onBegin(listener)::close;
  }

  /** The task must not block. */
  public void execute(Runnable task) {
    threads.execute(task);
  }

  /** The task must not block. */
  public Registration after(Duration delay, Runnable task) {
    Future<?> scheduled = threads.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    return () -> scheduled.cancel(false);
  }

  /** To be called when there are no calls any more. */
  @Override
  public void close() {
    threads.shutdown();
  }
}

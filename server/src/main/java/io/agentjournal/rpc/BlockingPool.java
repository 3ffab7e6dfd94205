package io.agentjournal.rpc;

import io.agentjournal.refusal.Refusal.Overloaded;
import io.grpc.Context;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where calls wait for PostgreSQL, so that event loops never do: so many threads, and so many tasks
 * that wait for one. Thread-safe.
 */
public final class BlockingPool implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BlockingPool.class);
  private static final long CLOSE_SECONDS = 10;

  private final ThreadPoolExecutor threads;

  public BlockingPool(int threadCount, int queuedTasks) {
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            threadCount,
            threadCount,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(queuedTasks),
            task -> new Thread(task, "blocking-" + number.getAndIncrement()));
  }

  /**
   * Never blocks. The task runs in the caller's gRPC context.
   *
   * @throws Overloaded when as many tasks wait as may; nothing of this one is done
   */
  public void execute(Runnable task) {
    try {
      threads.execute(Context.current().wrap(() -> runLogged(task)));
    } catch (RejectedExecutionException e) {
      throw new Overloaded("queued_calls");
    }
  }

  private static void runLogged(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.error("A task on the blocking pool failed", e);
    }
  }

  /** Waits for what is under way, then gives up on it. */
  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("{} blocking calls did not end in time", threads.getActiveCount());
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}

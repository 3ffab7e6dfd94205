package io.agentjournal.database;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts PostgreSQL again, for as long as it takes, when it has ended though nobody told it to: it
 * was killed, or the machine ran out of memory. Calls meanwhile end with UNAVAILABLE.
 */
final class PostgresKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresKeeper.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Start start;
  private final Thread thread;

  /** Only {@link #thread} uses it. */
  private ProcessHandle postgres;

  /** Blocks until PostgreSQL runs, at the address that it had. */
  @FunctionalInterface
  interface Start {
    ProcessHandle run() throws IOException;
  }

  PostgresKeeper(ProcessHandle postgres, Start start) {
    this.postgres = postgres;
    this.start = start;
    this.thread = new Thread(this::keep, "postgresql-keeper");
    thread.start();
  }

  private void keep() {
    try {
      while (true) {
        ProcessHandle ended = postgres.onExit().get();
        LOG.error("PostgreSQL (process {}) has ended; starting it again", ended.pid());
        postgres = startedAgain();
        LOG.info("PostgreSQL runs again (process {})", postgres.pid());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a process cannot be waited for", e);
    }
  }

  /** What is left of the old one may be in its way for a while. */
  private ProcessHandle startedAgain() throws InterruptedException {
    while (true) {
      try {
        return start.run();
      } catch (IOException e) {
        LOG.error("PostgreSQL did not start; trying again in {}", PAUSE, e);
      }
      Thread.sleep(PAUSE.toMillis());
    }
  }

  /** From now on PostgreSQL may end. Blocks while it is being started. */
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.agentjournal.recovery;

import io.agentjournal.background.PausingThread;
import io.agentjournal.database.DatabaseUnavailable;
import io.agentjournal.key.SubmissionId;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles what nobody is left to settle: submissions whose lease has ended and whose attempts or
 * time are spent, whose abort was requested, or whose final turn is committed. One thread; every
 * server has one, and whichever comes first does it. Starts when it is made.
 */
public final class Reconciler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);
  private static final int BATCH = 100;

  private final ReconcileStore store;
  private final Duration interval;
  private final PausingThread thread;
  private boolean failing;

  public Reconciler(ReconcileStore store, Duration interval) {
    this.store = store;
    this.interval = interval;
    this.thread = new PausingThread("reconciler", this::run);
    thread.start();
  }

  private void run() throws InterruptedException {
    while (!thread.isClosed()) {
      if (!look()) {
        thread.pause(interval);
      }
    }
  }

  /** Whether there may be more at once. */
  private boolean look() {
    try {
      List<SubmissionId> candidates = store.candidates(BATCH);
      int settled = 0;
      for (SubmissionId candidate : candidates) {
        if (thread.isClosed()) {
          return false;
        }
        settled += settle(candidate) ? 1 : 0;
      }
      failing = false;
      return settled > 0 && candidates.size() >= BATCH;
    } catch (DatabaseUnavailable e) {
      if (!failing) {
        LOG.warn("The reconciler goes on when the database is back: {}", e.getMessage());
      }
      failing = true;
      return false;
    } catch (RuntimeException e) {
      if (!failing) {
        LOG.error("The reconciler could not look, and goes on looking", e);
      }
      failing = true;
      return false;
    }
  }

  /** One that cannot be settled must not keep the others from it. */
  private boolean settle(SubmissionId candidate) {
    try {
      boolean settled = store.settle(candidate);
      if (settled) {
        LOG.info("Settled {}, which nobody held any more", candidate);
      }
      return settled;
    } catch (DatabaseUnavailable e) {
      throw e;
    } catch (RuntimeException e) {
      LOG.error("{} could not be settled", candidate, e);
      return false;
    }
  }

  /** Waits for the submission that is being settled. */
  @Override
  public void close() {
    thread.close();
  }
}

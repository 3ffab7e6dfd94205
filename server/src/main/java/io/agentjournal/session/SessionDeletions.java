package io.agentjournal.session;

import io.agentjournal.database.DatabaseFailure;
import io.agentjournal.database.DatabaseUnavailable;
import io.agentjournal.database.Transactions;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.segment.Streams;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes sessions, in many short transactions:
 *
 * <ol>
 *   <li>the mark, which shuts the session;
 *   <li>each submission: its streams, then the rest of it;
 *   <li>the entries in slices, and at last the session.
 * </ol>
 *
 * Every step may be done again. What a crash left, each server looks for and finishes; two that
 * finish the same do not get in each other's way. Thread-safe; every method blocks.
 */
final class SessionDeletions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SessionDeletions.class);
  private static final long PERIOD_SECONDS = 10;

  private final Transactions transactions;
  private final DeletionStore store;
  private final Streams streams;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "session-deletions"));

  SessionDeletions(Transactions transactions, DeletionStore store, Streams streams) {
    this.transactions = transactions;
    this.store = store;
    this.streams = streams;
    var unused =
        thread.scheduleWithFixedDelay(
            this::finishLeftOver, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
  }

  /** Returns when nothing is left of it; answers whether this call marked it. */
  boolean delete(SessionKey key) {
    boolean marked = transactions.run("DeleteSession", tx -> store.mark(tx, key));
    finish(key);
    return marked;
  }

  private void finish(SessionKey key) {
    for (List<SubmissionId> left = submissions(key); !left.isEmpty(); left = submissions(key)) {
      for (SubmissionId id : left) {
        streams.deleteOfSubmission(id);
        transactions.run("delete submission", tx -> store.deleteSubmission(tx, key, id));
      }
    }
    boolean more = true;
    while (more) {
      more = transactions.run("delete entries", tx -> store.deleteEntries(tx, key));
    }
    transactions.run("delete session", tx -> store.deleteSession(tx, key));
  }

  private List<SubmissionId> submissions(SessionKey key) {
    return transactions.run("list submissions to delete", tx -> store.submissions(tx, key));
  }

  private void finishLeftOver() {
    try {
      transactions.readOnly("find deletions", store::leftOver).forEach(this::finish);
    } catch (DatabaseUnavailable | DatabaseFailure e) {
      LOG.warn("Deletions of sessions go on later: {}", e.getMessage());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}

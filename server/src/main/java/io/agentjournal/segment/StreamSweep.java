package io.agentjournal.segment;

import io.agentjournal.database.DatabaseFailure;
import io.agentjournal.database.DatabaseUnavailable;
import io.agentjournal.database.Transactions;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes, every ten seconds and without anybody asking, what streams leave behind: notices that
 * all servers have seen, and the segments of deletions that a crash interrupted. Every server does
 * it; they do not get in each other's way.
 */
public final class StreamSweep implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StreamSweep.class);
  private static final long PERIOD_SECONDS = 10;

  private final WatchStore notices;
  private final DeletionStore deletions;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "stream-sweep"));

  public StreamSweep(Transactions transactions) {
    this.notices = new WatchStore(transactions);
    this.deletions = new DeletionStore(transactions, new StreamHeads());
    var unused =
        thread.scheduleWithFixedDelay(
            this::sweep, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
  }

  /** One round; on its own thread, or a test's. */
  void sweep() {
    try {
      notices.forgetNotices();
      deletions
          .unfinished()
          .forEach(deletion -> deletions.removeSegments(deletion.bucket(), deletion.streamId()));
    } catch (DatabaseUnavailable | DatabaseFailure e) {
      LOG.warn("Streams are swept later: {}", e.getMessage());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}

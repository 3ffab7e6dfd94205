package io.agentjournal.segment;

import io.agentjournal.database.DatabaseFailure;
import io.agentjournal.database.DatabaseUnavailable;
import io.agentjournal.database.Transactions;
import io.agentjournal.key.StreamKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread by which a server learns what others did to the streams that its open calls care for.
 * Every 25 ms, while there are any (every 50 ms while none of them reads):
 *
 * <ol>
 *   <li>reads the recent notices, and looks at the streams here that they name;
 *   <li>looks at followed streams of which no lane here has just told;
 *   <li>looks for streams that readers wait for.
 * </ol>
 *
 * Each is one statement, however many streams it is about. Without a database nobody is told
 * anything; once it is back all goes on from where it was.
 */
public final class StreamWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StreamWatch.class);
  private static final Duration PERIOD = Duration.ofMillis(25);

  /** Writers that idle only have to hear within 100 ms that they are fenced. */
  private static final Duration PERIOD_WITHOUT_READERS = Duration.ofMillis(50);

  /** Each may bring a few small extents. */
  private static final int STREAMS_PER_LOOK = 500;

  private final StreamChanges changes;
  private final WatchStore store;
  private final Thread thread = new Thread(this::watch, "stream-watch");
  private volatile boolean closed;

  // --- Only the thread uses what follows.

  private final NoticeMemory notices = new NoticeMemory();
  private final LookSchedule schedule = new LookSchedule();

  /**
   * Streams to be looked at whatever their followers were told; kept until a look has succeeded.
   */
  private final Set<Long> suspects = new HashSet<>();

  private boolean failing;

  public StreamWatch(Transactions transactions, StreamChanges changes) {
    this.changes = changes;
    this.store = new WatchStore(transactions);
    thread.start();
  }

  private void watch() {
    while (!closed) {
      long began = System.nanoTime();
      try {
        lookAtAll();
        recovered();
      } catch (DatabaseUnavailable | DatabaseFailure e) {
        failed(e);
      } catch (RuntimeException e) {
        LOG.error("Watching streams failed", e);
      }
      try {
        pause(began);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void pause(long beganNanos) throws InterruptedException {
    if (changes.isWatched()) {
      Duration period = changes.hasReaders() ? PERIOD : PERIOD_WITHOUT_READERS;
      TimeUnit.NANOSECONDS.sleep(period.toNanos() - (System.nanoTime() - beganNanos));
    } else {
      changes.awaitRegistration();
    }
  }

  private void lookAtAll() {
    if (changes.isWatched()) {
      lookAtSuspects();
      lookAtFollowed();
      lookForAwaited();
    }
  }

  private void lookAtSuspects() {
    changes.drainUnlooked(suspects);
    if (changes.concernsAny()) {
      suspects.addAll(notices.newlyNoticed(store.notices(notices.nextWindow())));
    }
    suspects.removeIf(streamId -> !changes.concerns(streamId));
    if (suspects.isEmpty()) {
      return;
    }
    List<Head> heads = store.heads(suspects);
    for (Head head : heads) {
      suspects.remove(head.streamId());
      changes.noticed(head);
    }
    suspects.forEach(streamId -> changes.noticed(Head.gone(streamId)));
    suspects.clear();
  }

  private void lookAtFollowed() {
    List<FollowedStream> due = schedule.due(changes.followed());
    for (int from = 0; from < due.size(); from += STREAMS_PER_LOOK) {
      int to = Math.min(from + STREAMS_PER_LOOK, due.size());
      store.moved(due.subList(from, to)).forEach(changes::found);
    }
  }

  private void lookForAwaited() {
    List<StreamKey> awaited = new ArrayList<>();
    changes.awaited().forEach(awaited::add);
    List<StreamKey> due = schedule.due(awaited);
    if (!due.isEmpty()) {
      store.heads(due).forEach(changes::appeared);
    }
  }

  private void failed(RuntimeException failure) {
    if (!failing) {
      failing = true;
      LOG.warn("Streams are not watched until the database is back: {}", failure.getMessage());
    }
  }

  private void recovered() {
    if (failing) {
      failing = false;
      LOG.info("Streams are watched again");
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.agentjournal.segment;

import io.agentjournal.database.DatabaseFailure;
import io.agentjournal.key.StreamKey;
import io.agentjournal.segment.Flush.FlushedStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that commits batches. It takes all that waits and flushes it; what arrives meanwhile
 * is the next flush. There is no timer: a lone token waits for one commit, and under load batches
 * grow by themselves. A stream always has the same lane, so its batches keep their order.
 */
final class Lane implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

  /** Of one flush. */
  private static final int MAX_FLUSH_BYTES = 8 << 20;

  /**
   * How long streams that somebody else has locked wait for another try, when nothing else is to
   * do.
   */
  private static final long LOCKED_WAIT_MILLIS = 3;

  private static final long CLOSE_SECONDS = 10;

  private final LinkedBlockingQueue<Batch> waiting = new LinkedBlockingQueue<>();
  private final StreamIds ids = new StreamIds();
  private final LaneFlushes flushes;
  private final StreamChanges changes;
  private final Thread thread;
  private volatile boolean closing;

  Lane(String name, LaneFlushes flushes, StreamChanges changes) {
    this.flushes = flushes;
    this.changes = changes;
    this.thread = new Thread(this::run, name);
    this.thread.start();
  }

  /**
   * Thread-safe, never blocks. The batch's origin is told, on the lane's thread, what became of it.
   */
  void submit(Batch batch) {
    waiting.add(batch);
  }

  private void run() {
    Map<StreamKey, List<Batch>> locked = new LinkedHashMap<>();
    while (true) {
      Map<StreamKey, List<Batch>> round = locked;
      try {
        if (!collect(round)) {
          return;
        }
        locked = flush(round);
      } catch (RuntimeException | Error e) {
        LOG.error("A flush failed", e);
        fail(round, e);
        locked = new LinkedHashMap<>();
      }
    }
  }

  /** Adds what waits to what is left over. False: closing, and nothing is left. */
  private boolean collect(Map<StreamKey, List<Batch>> round) {
    Batch batch = round.isEmpty() ? take() : poll(LOCKED_WAIT_MILLIS);
    long bytes = 0;
    while (batch != null) {
      if (batch.origin().isRefused()) {
        batch.origin().dropped(batch);
      } else {
        round.computeIfAbsent(batch.stream(), key -> new ArrayList<>(4)).add(batch);
        bytes += batch.sizeBytes();
      }
      batch = bytes < MAX_FLUSH_BYTES ? waiting.poll() : null;
    }
    return !(closing && round.isEmpty() && waiting.isEmpty());
  }

  private @Nullable Batch take() {
    Batch batch = null;
    while (batch == null && !(closing && waiting.isEmpty())) {
      batch = poll(TimeUnit.SECONDS.toMillis(1));
    }
    return batch;
  }

  private @Nullable Batch poll(long millis) {
    try {
      return waiting.poll(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      // Only close() interrupts, to end a wait.
      return null;
    }
  }

  /** Answers what is to be tried again. */
  private Map<StreamKey, List<Batch>> flush(Map<StreamKey, List<Batch>> round) {
    Map<StreamKey, List<Batch>> locked = new LinkedHashMap<>();
    if (round.isEmpty()) {
      return locked;
    }
    for (Map<StreamKey, List<Batch>> part : flushes.split(round)) {
      flush(part, locked);
    }
    return locked;
  }

  private void flush(Map<StreamKey, List<Batch>> part, Map<StreamKey, List<Batch>> locked) {
    Flush flush;
    try {
      flush = flushes.storeFor(part).flush(part, ids);
    } catch (DatabaseFailure e) {
      bisect(part, locked, e);
      return;
    } catch (RuntimeException e) {
      fail(part, e);
      return;
    }
    flush.streams().forEach(this::tell);
    locked.putAll(flush.skipped());
  }

  /** One stream's bad row must not fail the others. */
  private void bisect(
      Map<StreamKey, List<Batch>> part,
      Map<StreamKey, List<Batch>> locked,
      DatabaseFailure failure) {
    if (part.size() == 1) {
      fail(part, failure);
      return;
    }
    LOG.warn("A flush of {} streams is cut in two: {}", part.size(), failure.getMessage());
    Map<StreamKey, List<Batch>> half = new LinkedHashMap<>();
    Map<StreamKey, List<Batch>> rest = new LinkedHashMap<>();
    part.forEach((key, batches) -> (half.size() < part.size() / 2 ? half : rest).put(key, batches));
    flush(half, locked);
    flush(rest, locked);
  }

  private void tell(FlushedStream stream) {
    if (stream.exists()) {
      ids.put(stream.key(), stream.head().streamId());
    }
    publish(stream);
    for (int i = 0; i < stream.batches().size(); i++) {
      Batch batch = stream.batches().get(i);
      boolean isLast =
          i + 1 == stream.batches().size()
              || stream.batches().get(i + 1).origin() != batch.origin();
      tell(batch, stream.outcomes().get(i), isLast);
    }
  }

  /** Followers' trouble is not the writers'. */
  private void publish(FlushedStream stream) {
    if (!stream.changed()) {
      return;
    }
    try {
      changes.published(stream.head(), stream.extents());
    } catch (RuntimeException e) {
      LOG.error("Followers of {} were not told", stream.key(), e);
    }
  }

  private static void fail(Map<StreamKey, List<Batch>> part, Throwable failure) {
    RuntimeException reason =
        failure instanceof RuntimeException known ? known : new IllegalStateException(failure);
    part.values()
        .forEach(
            batches -> batches.forEach(batch -> tell(batch, Outcome.refused(null, reason), true)));
  }

  private static void tell(Batch batch, Outcome outcome, boolean isLast) {
    try {
      batch.origin().flushed(batch, outcome, isLast);
    } catch (RuntimeException e) {
      // A call's own trouble must not become that of the others in the flush.
      LOG.error("An append call failed after its flush", e);
    }
  }

  /** Flushes what waits. Blocks until it is done. */
  @Override
  public void close() {
    closing = true;
    thread.interrupt();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

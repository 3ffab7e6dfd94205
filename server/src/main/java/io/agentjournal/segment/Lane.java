package io.agentjournal.segment;

import io.agentjournal.database.DatabaseFailure;
import io.agentjournal.key.StreamKey;
import io.agentjournal.segment.Flush.FlushedStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that commits batches. When it is its turn it takes all that waits and flushes it; what
 * arrives meanwhile is the next flush. There is no timer: a lone token waits for one commit, and
 * under load batches grow by themselves.
 */
final class Lane implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

  private static final long CLOSE_SECONDS = 10;

  private final LaneQueue waiting;
  private final FlushTurn turn;
  private final LaneFlushes flushes;
  private final StreamIds ids;
  private final StreamChanges changes;
  private final Thread thread;

  /** Several may share a queue; their turns are then of one number. */
  Lane(
      String name,
      LaneQueue waiting,
      FlushTurn turn,
      LaneFlushes flushes,
      StreamIds ids,
      StreamChanges changes) {
    this.waiting = waiting;
    this.turn = turn;
    this.flushes = flushes;
    this.ids = ids;
    this.changes = changes;
    this.thread = new Thread(this::run, name);
    this.thread.start();
  }

  private void run() {
    try {
      do {
        turn.begin();
      } while (flushWhatWaits());
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts a lane", e);
    } finally {
      turn.end();
    }
  }

  /** False: the queue is closed and empty. */
  private boolean flushWhatWaits() throws InterruptedException {
    Map<StreamKey, List<Batch>> taken = waiting.take();
    if (taken.isEmpty()) {
      return false;
    }
    Map<StreamKey, List<Batch>> locked = new LinkedHashMap<>();
    Map<StreamKey, List<Batch>> round = taken;
    try {
      round = withoutDropped(taken);
      for (Map<StreamKey, List<Batch>> part : flushes.split(round)) {
        flush(part, locked);
      }
    } catch (RuntimeException | Error e) {
      LOG.error("A flush failed", e);
      fail(round, e);
      locked.clear();
    } finally {
      waiting.done(taken.keySet(), locked);
    }
    return true;
  }

  /** What comes behind a refused batch of its call is not stored any more. */
  private static Map<StreamKey, List<Batch>> withoutDropped(Map<StreamKey, List<Batch>> taken) {
    Map<StreamKey, List<Batch>> round = new LinkedHashMap<>();
    taken.forEach(
        (stream, batches) -> {
          List<Batch> kept = new ArrayList<>(batches.size());
          for (Batch batch : batches) {
            if (batch.origin().isRefused()) {
              batch.origin().dropped(batch);
            } else {
              kept.add(batch);
            }
          }
          if (!kept.isEmpty()) {
            round.put(stream, kept);
          }
        });
    return round;
  }

  private void flush(Map<StreamKey, List<Batch>> part, Map<StreamKey, List<Batch>> locked) {
    if (part.isEmpty()) {
      return;
    }
    Flush flush;
    try {
      flush = flushes.storeFor(part).flush(part, ids, turn::written);
      turn.committed();
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
      changes.committed(stream.key(), stream.head(), stream.extents());
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

  /** To be called when its queue is closed. Blocks until what waited is flushed. */
  @Override
  public void close() {
    try {
      thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

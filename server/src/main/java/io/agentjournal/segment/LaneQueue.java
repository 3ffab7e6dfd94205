package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The batches that wait for a flush, by stream. A stream is in one flush at a time: what comes for
 * it meanwhile waits until that one is {@link #done}, so its batches keep their order whoever
 * flushes them. Thread-safe.
 */
final class LaneQueue {
  /** Of one flush. */
  private static final int MAX_FLUSH_BYTES = 8 << 20;

  /**
   * How long streams that somebody else has locked wait for another try, when nothing else is to
   * do.
   */
  private static final long LOCKED_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  private final Map<StreamKey, List<Batch>> ready = new LinkedHashMap<>();
  private final Map<StreamKey, List<Batch>> locked = new LinkedHashMap<>();

  /** A stream that is in a flush, and what came for it since. */
  private final Map<StreamKey, List<Batch>> behind = new HashMap<>();

  private boolean closing;

  /** Never blocks for long. */
  synchronized void add(Batch batch) {
    StreamKey stream = batch.stream();
    List<Batch> earlier = behind.get(stream);
    if (earlier == null) {
      earlier = locked.get(stream);
    }
    if (earlier == null) {
      earlier = ready.computeIfAbsent(stream, key -> new ArrayList<>(4));
      notifyAll();
    }
    earlier.add(batch);
  }

  /** How many streams the next flush would have, were it to begin now. */
  synchronized int readyStreams() {
    return ready.size();
  }

  /**
   * Blocks until there is something to flush: all that is ready, up to the size of a flush. Nothing
   * when the queue is closing and all that was in it is taken.
   */
  synchronized Map<StreamKey, List<Batch>> take() throws InterruptedException {
    while (ready.isEmpty() && locked.isEmpty() && !(closing && behind.isEmpty())) {
      wait();
    }
    long lockedUntil = System.nanoTime() + LOCKED_WAIT_NANOS;
    long left = LOCKED_WAIT_NANOS;
    while (ready.isEmpty() && !locked.isEmpty() && left > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = lockedUntil - System.nanoTime();
    }
    ready.putAll(locked);
    locked.clear();
    return takeReady();
  }

  private Map<StreamKey, List<Batch>> takeReady() {
    Map<StreamKey, List<Batch>> taken = new LinkedHashMap<>();
    Iterator<Map.Entry<StreamKey, List<Batch>>> streams = ready.entrySet().iterator();
    long bytes = 0;
    while (bytes < MAX_FLUSH_BYTES && streams.hasNext()) {
      Map.Entry<StreamKey, List<Batch>> stream = streams.next();
      List<Batch> batches = stream.getValue();
      int count = 0;
      while (count < batches.size() && bytes < MAX_FLUSH_BYTES) {
        bytes += batches.get(count).sizeBytes();
        count++;
      }
      taken.put(stream.getKey(), new ArrayList<>(batches.subList(0, count)));
      behind.put(stream.getKey(), new ArrayList<>(batches.subList(count, batches.size())));
      streams.remove();
    }
    return taken;
  }

  /**
   * What was taken has been flushed, and its origins told.
   *
   * @param skipped what could not be, because somebody else had locked its stream: it comes again
   */
  synchronized void done(Iterable<StreamKey> streams, Map<StreamKey, List<Batch>> skipped) {
    for (StreamKey stream : streams) {
      List<Batch> next = behind.remove(stream);
      List<Batch> again = skipped.get(stream);
      if (again != null) {
        List<Batch> all = new ArrayList<>(again);
        if (next != null) {
          all.addAll(next);
        }
        locked.put(stream, all);
      } else if (next != null && !next.isEmpty()) {
        ready.put(stream, next);
      }
    }
    notifyAll();
  }

  /** What is in it is still to be taken. */
  synchronized void close() {
    closing = true;
    notifyAll();
  }
}

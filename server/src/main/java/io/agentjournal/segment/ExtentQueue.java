package io.agentjournal.segment;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What one reader has been given and has not sent yet: extents that follow each other, and the
 * newest head. Published extents are taken while they are the very next ones and the reader keeps
 * up; what is passed over is found in the table later. Thread-safe.
 */
final class ExtentQueue {
  /** Bytes up to which published extents are kept for a reader that is not ready. */
  static final int MAX_PUBLISHED_BYTES = 64 << 10;

  private final Queue<Extent> extents = new ArrayDeque<>();
  private final LongAdder heldByAll;
  private long endIndex;
  private int bytes;
  private Head newest;
  private boolean isClosed;

  /**
   * Begins empty, before the segment of this index.
   *
   * @param heldByAll counts the bytes of all readers
   */
  ExtentQueue(long index, Head head, LongAdder heldByAll) {
    this.heldByAll = heldByAll;
    this.endIndex = index;
    this.newest = head;
  }

  /** What a lane has committed or a look-up has found, in whatever order. */
  synchronized void offer(StreamChange change) {
    if (isClosed) {
      return;
    }
    newest = newer(newest, change.head());
    for (Extent extent : change.extents()) {
      if (extent.firstIndex() == endIndex && bytes + extent.data().length <= MAX_PUBLISHED_BYTES) {
        add(extent);
      }
    }
  }

  /** What was read from the table for this reader. */
  synchronized void add(StreamPage page) {
    newest = newer(newest, page.head());
    for (Extent extent : page.extents()) {
      if (extent.firstIndex() <= endIndex && extent.endIndex() > endIndex) {
        add(extent);
      }
    }
  }

  private void add(Extent extent) {
    extents.add(extent);
    bytes += extent.data().length;
    heldByAll.add(extent.data().length);
    endIndex = extent.endIndex();
  }

  synchronized @Nullable Extent poll() {
    Extent extent = extents.poll();
    if (extent != null) {
      bytes -= extent.data().length;
      heldByAll.add(-extent.data().length);
    }
    return extent;
  }

  /** Lets go of everything; the reader has ended. */
  synchronized void close() {
    extents.clear();
    heldByAll.add(-bytes);
    bytes = 0;
    isClosed = true;
  }

  synchronized Head newest() {
    return newest;
  }

  /** A stream that has ended changes only by being deleted; an open one only grows. */
  private static Head newer(Head known, Head told) {
    if (known.state() == StreamState.DELETED || told.state() == StreamState.DELETED) {
      return known.state() == StreamState.DELETED ? known : told;
    }
    if (known.state() != StreamState.OPEN) {
      return known;
    }
    boolean isNewer = told.state() != StreamState.OPEN || told.nextIndex() > known.nextIndex();
    return isNewer ? told : known;
  }
}

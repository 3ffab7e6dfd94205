package io.agentjournal.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What is not known to be durable yet, in order: first what was sent, then the rest. Not
 * thread-safe.
 */
final class SegmentQueue {
  private final ArrayDeque<OutgoingSegment> sent = new ArrayDeque<>();
  private final ArrayDeque<OutgoingSegment> unsent = new ArrayDeque<>();
  private long durableIndex;
  private int heldBytes;

  /** Of an empty one: where it begins. */
  void beginAt(long index) {
    durableIndex = index;
  }

  /** Everything below it is durable and gone. */
  long durableIndex() {
    return durableIndex;
  }

  /** That of the first segment that is not sent. */
  long sentIndex() {
    return durableIndex + sent.size();
  }

  /** That of the segment that is added next. */
  long nextIndex() {
    return sentIndex() + unsent.size();
  }

  int heldBytes() {
    return heldBytes;
  }

  void add(OutgoingSegment segment) {
    unsent.add(segment);
    heldBytes += segment.windowBytes();
  }

  /** The next ones to send, at least one if there is any; they count as sent. */
  List<OutgoingSegment> take(int maxSegments, int maxBytes) {
    List<OutgoingSegment> taken = new ArrayList<>(Math.min(maxSegments, unsent.size()));
    int bytes = 0;
    for (OutgoingSegment next = unsent.peek();
        next != null
            && taken.size() < maxSegments
            && (taken.isEmpty() || bytes + next.windowBytes() <= maxBytes);
        next = unsent.peek()) {
      bytes += next.windowBytes();
      taken.add(next);
      sent.add(unsent.remove());
    }
    return taken;
  }

  List<OutgoingSegment> sent() {
    return List.copyOf(sent);
  }

  /** Of what was sent, that {@code [0, index)} is durable. True when that is news. */
  boolean acknowledge(long index) {
    boolean advances = index > durableIndex && !sent.isEmpty();
    while (durableIndex < index && !sent.isEmpty()) {
      heldBytes -= sent.remove().windowBytes();
      durableIndex++;
    }
    return advances;
  }

  /** Nothing counts as sent any more. */
  void rewind() {
    for (OutgoingSegment last = sent.pollLast(); last != null; last = sent.pollLast()) {
      unsent.addFirst(last);
    }
  }

  void clear() {
    sent.clear();
    unsent.clear();
    heldBytes = 0;
  }
}

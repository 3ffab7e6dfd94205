package io.agentjournal.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What is not known to be durable yet, in order: first what was sent, then the rest. Not
 * thread-safe.
 */
final class SendQueue<T extends Outgoing> {
  private final ArrayDeque<T> sent = new ArrayDeque<>();
  private final ArrayDeque<T> unsent = new ArrayDeque<>();
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

  /** That of the first one that is not sent. */
  long sentIndex() {
    return durableIndex + sent.size();
  }

  /** That of the one that is added next. */
  long nextIndex() {
    return sentIndex() + unsent.size();
  }

  int heldBytes() {
    return heldBytes;
  }

  void add(T segment) {
    unsent.add(segment);
    heldBytes += segment.windowBytes();
  }

  /** The next ones to send, at least one if there is any; they count as sent. */
  List<T> take(int maxSegments, int maxBytes) {
    List<T> taken = new ArrayList<>(Math.min(maxSegments, unsent.size()));
    int bytes = 0;
    for (T next = unsent.peek();
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

  List<T> sent() {
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
    for (T last = sent.pollLast(); last != null; last = sent.pollLast()) {
      unsent.addFirst(last);
    }
  }

  void clear() {
    sent.clear();
    unsent.clear();
    heldBytes = 0;
  }
}

package io.agentjournal.client;

import io.agentjournal.v1.StreamEnd;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Where the threads that append meet the connection: what is not known to be durable yet, in order,
 * and how the writer stands. Thread-safe. Bounded: whoever appends waits for room.
 */
final class Outbox<T extends Outgoing> {
  private final int windowBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final SendQueue<T> queue = new SendQueue<>();

  private WriterPhase phase = WriterPhase.OPENING;
  private long startIndex;
  private @Nullable StreamEnd end;
  private @Nullable CallFailure failure;
  private boolean failureTold;

  Outbox(int windowBytes) {
    this.windowBytes = windowBytes;
  }

  /** What a batch is sent from: {@code first} is the index of the first of {@code items}. */
  record Batch<T extends Outgoing>(
      long first, List<T> items, @Nullable StreamEnd end, boolean isLast) {
    long next() {
      return first + items.size();
    }

    boolean isEmpty() {
      return items.isEmpty() && end == null;
    }
  }

  // --- for the threads that append

  /** Blocks until the server has answered the first call. */
  long awaitStart() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (phase == WriterPhase.OPENING) {
        changed.await();
      }
      throwIfFailed();
      return startIndex;
    } finally {
      lock.unlock();
    }
  }

  /** Blocks while the window is full. */
  long put(Source<T> source) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      requireWriting();
      T item = source.at(queue.nextIndex());
      while (queue.heldBytes() > 0 && queue.heldBytes() + item.windowBytes() > windowBytes) {
        changed.await();
        requireWriting();
      }
      queue.add(item);
      return queue.nextIndex() - 1;
    } finally {
      lock.unlock();
    }
  }

  /** Makes and checks what is to be sent; told the index that it would have, for its complaint. */
  interface Source<T extends Outgoing> {
    T at(long index);
  }

  /** Nothing is appended any more; {@code end}, if there is one, follows what was. */
  void endWith(StreamEnd.@Nullable Builder end) {
    lock.lock();
    try {
      requireWriting();
      phase = WriterPhase.ENDING;
      if (end != null) {
        this.end = end.setExpectedNextIndex(queue.nextIndex()).build();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Blocks until {@code [0, index)} is durable. */
  void awaitDurable(long index) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (failure == null && index > queue.nextIndex()) {
        throw new IllegalArgumentException(
            "cannot wait for " + index + ": the next one is " + queue.nextIndex());
      }
      while (queue.durableIndex() < index) {
        throwIfFailed();
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Blocks until what was begun with {@link #endWith} is done. False when the time is over. */
  boolean awaitEnded(long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (phase == WriterPhase.ENDING) {
        if (left <= 0) {
          return false;
        }
        left = changed.awaitNanos(left);
      }
      throwIfFailed();
      return true;
    } finally {
      lock.unlock();
    }
  }

  boolean awaitEnded() throws InterruptedException {
    return awaitEnded(TimeUnit.DAYS.toNanos(36_500));
  }

  /** A failure that no call has told yet. */
  @Nullable CallFailure untoldFailure() {
    lock.lock();
    try {
      return failureTold ? null : failure;
    } finally {
      lock.unlock();
    }
  }

  long nextIndex() {
    lock.lock();
    try {
      return queue.nextIndex();
    } finally {
      lock.unlock();
    }
  }

  WriterPhase phase() {
    lock.lock();
    try {
      return phase;
    } finally {
      lock.unlock();
    }
  }

  long durableIndex() {
    lock.lock();
    try {
      return queue.durableIndex();
    } finally {
      lock.unlock();
    }
  }

  // --- for the connection

  void opened(long startIndex) {
    lock.lock();
    try {
      this.startIndex = startIndex;
      queue.beginAt(startIndex);
      become(WriterPhase.WRITING);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes what is there, up to a message's limits; the end only when nothing else is left. Whether
   * anything can follow is judged in the same breath: an end that is asked for a moment later has a
   * message of its own.
   */
  Batch<T> take(int maxItems, int maxBytes) {
    lock.lock();
    try {
      long first = queue.sentIndex();
      List<T> items = queue.take(maxItems, maxBytes);
      boolean drained = !hasUnsent();
      return new Batch<>(
          first, items, drained ? end : null, drained && phase == WriterPhase.ENDING);
    } finally {
      lock.unlock();
    }
  }

  /** Of what was sent, that {@code [0, index)} is durable. True when that is news. */
  boolean acknowledge(long index) {
    lock.lock();
    try {
      boolean advances = queue.acknowledge(index);
      if (advances) {
        changed.signalAll();
      }
      return advances;
    } finally {
      lock.unlock();
    }
  }

  /** What was sent and not acknowledged, oldest first: it begins at {@link #durableIndex}. */
  List<T> inFlight() {
    lock.lock();
    try {
      return queue.sent();
    } finally {
      lock.unlock();
    }
  }

  /** What was sent and not acknowledged is to be sent again. */
  void rewind() {
    lock.lock();
    try {
      queue.rewind();
    } finally {
      lock.unlock();
    }
  }

  boolean hasUnacknowledged() {
    lock.lock();
    try {
      return queue.durableIndex() < queue.nextIndex() || phase == WriterPhase.ENDING;
    } finally {
      lock.unlock();
    }
  }

  void ended() {
    lock.lock();
    try {
      become(WriterPhase.ENDED);
    } finally {
      lock.unlock();
    }
  }

  void failed(CallFailure failure) {
    lock.lock();
    try {
      this.failure = failure;
      queue.clear();
      become(WriterPhase.FAILED);
    } finally {
      lock.unlock();
    }
  }

  // --- under the lock

  private boolean hasUnsent() {
    return queue.sentIndex() < queue.nextIndex();
  }

  private void become(WriterPhase next) {
    phase = next;
    changed.signalAll();
  }

  private void requireWriting() {
    throwIfFailed();
    if (phase != WriterPhase.WRITING) {
      throw new IllegalStateException("the writer is " + phase);
    }
  }

  private void throwIfFailed() {
    if (failure != null) {
      failureTold = true;
      throw JournalException.of(failure);
    }
  }
}

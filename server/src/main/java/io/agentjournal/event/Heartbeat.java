package io.agentjournal.event;

import io.agentjournal.segment.Registration;
import io.agentjournal.segment.SegmentReads;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When a call has been silent for so long that it should send something. Used by one step at a
 * time.
 */
final class Heartbeat {
  private final @Nullable Duration after;
  private final SegmentReads reads;
  private final Runnable ring;
  private volatile boolean isSet;
  private Registration alarm = () -> {};
  private long sentAtNanos = System.nanoTime();

  /**
   * Nothing is ever due if the time is null.
   *
   * @param ring called when something may be due; must not block
   */
  Heartbeat(@Nullable Duration after, SegmentReads reads, Runnable ring) {
    this.after = after;
    this.reads = reads;
    this.ring = ring;
  }

  void sent() {
    sentAtNanos = System.nanoTime();
  }

  boolean isDue() {
    return after != null && silence().compareTo(after) >= 0;
  }

  /** Sees to it that somebody rings when something may be due. */
  void set() {
    if (after != null && !isSet) {
      isSet = true;
      Duration left = after.minus(silence());
      alarm = reads.after(left.isNegative() || left.isZero() ? after : left, this::rang);
    }
  }

  private void rang() {
    isSet = false;
    ring.run();
  }

  private Duration silence() {
    return Duration.ofNanos(System.nanoTime() - sentAtNanos);
  }

  void close() {
    alarm.close();
  }
}

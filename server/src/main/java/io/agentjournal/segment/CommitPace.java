package io.agentjournal.segment;

import java.util.concurrent.TimeUnit;

/** How long commits take at present. Thread-safe; of two that tell at once one may be lost. */
final class CommitPace {
  /** What the statements of a flush take, or a little more. */
  static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** So many commits count, more or less: one that took long for once changes nothing for long. */
  private static final int REMEMBERED = 16;

  private volatile long usualNanos;

  void took(long nanos) {
    long before = usualNanos;
    usualNanos = before + (nanos - before) / REMEMBERED;
  }

  /** Whether a flush had better begin while another one commits. */
  boolean isSlow() {
    return usualNanos >= SLOW_NANOS;
  }
}

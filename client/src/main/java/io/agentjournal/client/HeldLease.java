package io.agentjournal.client;

import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.Lease;
import java.time.Duration;

/**
 * A lease as its holder knows it: by this machine's clock of elapsed time, and rather too short.
 * Any thread may ask what is left; the rest is its keeper's.
 */
final class HeldLease {
  private final AttemptRef attempt;
  private volatile long goodUntil;
  private boolean abortTold;
  private boolean runsOutTold;

  HeldLease(AttemptRef attempt, Duration left) {
    this.attempt = attempt;
    this.goodUntil = System.nanoTime() + left.toNanos();
  }

  AttemptRef attempt() {
    return attempt;
  }

  /**
   * A renewal never shortens, and an answer may be older than the last one.
   *
   * @param measuredAt no later than when what is left was measured
   */
  void renewed(long measuredAt, Lease lease) {
    long until = measuredAt + left(lease).toNanos();
    if (until - goodUntil > 0) {
      goodUntil = until;
    }
  }

  /** What is left by the journal's answer. */
  static Duration left(Lease lease) {
    return Duration.ofSeconds(lease.getRemaining().getSeconds(), lease.getRemaining().getNanos());
  }

  Duration left() {
    return Duration.ofNanos(goodUntil - System.nanoTime());
  }

  boolean isOver() {
    return goodUntil - System.nanoTime() <= 0;
  }

  boolean isAbortTold() {
    return abortTold;
  }

  /** True the first time. */
  boolean tellAbort() {
    boolean news = !abortTold;
    abortTold = true;
    return news;
  }

  /** True the first time. */
  boolean tellRunsOut() {
    boolean news = !runsOutTold;
    runsOutTold = true;
    return news;
  }
}

package io.agentjournal.client;

import io.grpc.Status;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A time without progress: how long to pause in it, and when there is no hope left. Not
 * thread-safe.
 */
final class Outage {
  /** A call that lived so long was no failure to connect. */
  private static final long LIVED_NANOS = Duration.ofSeconds(1).toNanos();

  private final RetryTimes retry;
  private final Backoff backoff;
  private boolean lasts;
  private long since;

  Outage(RetryTimes retry) {
    this.retry = retry;
    this.backoff = new Backoff(retry.longestPause());
  }

  /** There was progress. */
  void over() {
    lasts = false;
    backoff.reset();
  }

  /**
   * After another call was lost: what to tell instead of trying again; null while there is hope.
   */
  @Nullable CallFailure hopeless(long callAgeNanos, CallFailure failure) {
    if (!lasts) {
      lasts = true;
      since = System.nanoTime();
    }
    if (callAgeNanos >= LIVED_NANOS) {
      backoff.reset();
    }
    if (System.nanoTime() - since < retry.giveUpAfter().toNanos()) {
      return null;
    }
    return CallFailure.of(
        CallFailure.Kind.UNAVAILABLE,
        Status.Code.UNAVAILABLE,
        "no progress for " + retry.giveUpAfter() + ": " + failure.message(),
        failure.cause());
  }

  Duration pause() {
    return backoff.next();
  }
}

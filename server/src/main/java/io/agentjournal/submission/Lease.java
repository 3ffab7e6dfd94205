package io.agentjournal.submission;

import java.time.Duration;
import java.time.Instant;

/**
 * Who holds a running submission and for how long.
 *
 * @param isExpired judged by the database's clock
 * @param remainingAtRead what was left of it when it was read; negative: it has run out
 * @param readAtNanos {@link System#nanoTime} right before it was read, so that what is left can be
 *     told later on
 */
public record Lease(
    String attemptId,
    String owner,
    Instant expiresAt,
    boolean isExpired,
    Duration remainingAtRead,
    long readAtNanos) {

  /** What is left of it now, or a little less: never more time than there is. */
  public Duration remaining() {
    return remainingAtRead.minusNanos(System.nanoTime() - readAtNanos);
  }
}

package io.agentjournal.run;

import java.time.Duration;
import java.time.Instant;

/**
 * Who may write to a run.
 *
 * @param remaining of the lease when the transaction that read it began; negative: it has run out,
 *     and another may claim the run
 */
record Claim(String claimId, String owner, Instant expiresAt, Duration remaining) {
  boolean isLive() {
    return remaining.compareTo(Duration.ZERO) > 0;
  }
}

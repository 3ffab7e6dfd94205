package io.agentjournal.run;

import io.agentjournal.key.Identifier;
import io.agentjournal.refusal.Refusal.InvalidField;
import java.time.Duration;

/** What a claimant asks for. */
record NewClaim(String claimId, String owner, Duration lease) {
  static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
  private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
  private static final Duration LONGEST_LEASE = Duration.ofHours(1);

  NewClaim {
    Identifier.check("claim_id", claimId);
    Identifier.check("lease.owner", owner);
    checkLease(lease);
  }

  static Duration checkLease(Duration lease) {
    if (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0) {
      throw InvalidField.ofValue("lease.duration", lease.toString(), "1 s to 1 h are possible");
    }
    return lease;
  }
}

package io.agentjournal.run;

import io.agentjournal.key.RunId;
import io.agentjournal.refusal.Refusal.RunClaimed;
import org.jspecify.annotations.Nullable;

/**
 * Who may write to a run, as its row says.
 *
 * @param latestClaimId also of a claim that has ended; null: the run never had one
 * @param claim null: the run has none now
 */
record Fence(RunId run, @Nullable String latestClaimId, @Nullable Claim claim) {

  /**
   * A write that names a claim needs it to be the run's latest; one that names none needs the run
   * to have none now.
   */
  void requireWritableBy(@Nullable String claimId) {
    boolean writable = claimId == null ? claim == null : claimId.equals(latestClaimId);
    if (!writable) {
      throw claimed();
    }
  }

  RunClaimed claimed() {
    return claim == null
        ? new RunClaimed(run.id(), null, null, null)
        : new RunClaimed(run.id(), claim.claimId(), claim.owner(), claim.remaining());
  }
}

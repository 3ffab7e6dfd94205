package io.agentjournal.run;

import com.google.protobuf.ByteString;
import io.agentjournal.key.RunId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A run's row as one transaction saw it.
 *
 * @param outcome the raw word of the last close; null while it is running
 * @param metadata JSON text
 */
record Run(
    RunId id,
    RunStatus status,
    String agent,
    String task,
    @Nullable String outcome,
    @Nullable String checkpointId,
    ByteString metadata,
    Instant createdAt,
    Instant updatedAt,
    Fence fence) {

  boolean isOpened() {
    return status != RunStatus.UNOPENED;
  }

  boolean isRunning() {
    return status == RunStatus.RUNNING;
  }

  boolean hasLiveClaim() {
    return fence.claim() != null && fence.claim().isLive();
  }

  boolean isInterrupted() {
    return isRunning() && !hasLiveClaim();
  }

  /** Whether the claimant has this run already, by this very claim. */
  boolean isHeldBy(NewClaim claimant) {
    Claim claim = fence.claim();
    return isRunning()
        && claim != null
        && claim.claimId().equals(claimant.claimId())
        && claim.owner().equals(claimant.owner());
  }
}

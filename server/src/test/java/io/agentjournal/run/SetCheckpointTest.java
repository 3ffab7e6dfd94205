package io.agentjournal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.SetCheckpointRequest;
import io.agentjournal.v1.SetCheckpointResponse;
import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class SetCheckpointTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  @Test
  void checkpoint_is_bound_and_the_same_again_is_a_repeat() {
    run.open();

    assertTrue(set("c1", "").getApplied());
    assertFalse(set("c1", "").getApplied());
    assertTrue(set("c2", "").getApplied());
    assertEquals("c2", run.get().getCheckpointId());
  }

  @Test
  void closed_run_takes_a_checkpoint_too() {
    run.open();
    run.close("done");

    assertTrue(set("after", "").getApplied());
    assertEquals("after", run.get().getCheckpointId());
  }

  @Test
  void unknown_run_is_not_found_also_when_it_has_events() {
    run.append(JournalledRun.decision(0, "{}"));

    Refused.from(() -> set("c1", ""))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, "run_id", run.id);
  }

  @Test
  void claimed_run_takes_it_from_its_claimant_only() {
    run.openClaimed("claim-1", "gateway-1");

    assertTrue(set("mine", "claim-1").getApplied());
    for (String claim : new String[] {"", "claim-0"}) {
      Refused.from(() -> set("theirs", claim))
          .mustBe(
              Status.Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_RUN_CLAIMED,
              "claim_id",
              "claim-1");
    }
    assertEquals("mine", run.get().getCheckpointId());
  }

  private SetCheckpointResponse set(String checkpointId, String claimId) {
    return run.journal.setCheckpoint(
        SetCheckpointRequest.newBuilder()
            .setRunId(run.id)
            .setCheckpointId(checkpointId)
            .setClaimId(claimId)
            .build());
  }
}

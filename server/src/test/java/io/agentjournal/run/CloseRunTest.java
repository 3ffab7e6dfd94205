package io.agentjournal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.CloseRunResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Run;
import io.agentjournal.v1.RunStatus;
import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CloseRunTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  @ParameterizedTest
  @CsvSource({
    "done, done, DONE",
    "succeeded, succeeded, SUCCEEDED",
    "failed, failed, FAILED",
    "cancelled, cancelled, CANCELLED",
    "'', done, DONE",
    "Succeeded, Succeeded, DONE",
    "gave up: ✗, gave up: ✗, DONE",
  })
  void outcome_is_one_of_four_and_any_other_counts_as_done_and_is_kept(
      String outcome, String kept, String status) {
    run.open();

    Run closed = run.close(outcome).getRun();

    assertEquals(RunStatus.valueOf("RUN_STATUS_" + status), closed.getStatus());
    assertEquals(kept, closed.getOutcome());
    assertEquals(closed, run.get());
  }

  /** B015. */
  @Test
  void same_close_again_is_a_repeat_and_another_one_wins() {
    run.open();
    assertTrue(run.close("failed").getApplied());
    Run closed = run.get();

    CloseRunResponse again = run.close("failed");

    assertFalse(again.getApplied());
    assertEquals(closed, run.get());
    assertTrue(run.close("succeeded").getApplied());
    assertEquals(RunStatus.RUN_STATUS_SUCCEEDED, run.get().getStatus());
  }

  @Test
  void unknown_run_is_not_found_also_when_it_has_events() {
    run.append(JournalledRun.decision(0, "{}"));

    Refused.from(() -> run.close("done"))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, "run_id", run.id);
  }

  @Test
  void close_ends_the_claim_and_its_claimant_may_repeat_it() {
    run.openClaimed("claim-1", "gateway-1");

    assertTrue(run.close("succeeded", "claim-1").getApplied());
    assertFalse(run.close("succeeded", "claim-1").getApplied());
    assertFalse(run.get().hasLease());
    assertEquals("", run.get().getClaimId());
  }

  @Test
  void who_lost_the_run_cannot_close_it_before_or_after_its_claimant_did() {
    run.openClaimed("claim-1", "gateway-1");
    run.expireLease(SERVER);
    run.claim("claim-2", "gateway-2");

    Refused.from(() -> run.close("failed", "claim-1"))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_RUN_CLAIMED,
            "claim_id",
            "claim-2",
            "owner",
            "gateway-2");
    run.close("succeeded", "claim-2");
    Refused refused = Refused.from(() -> run.close("failed", "claim-1"));

    refused.mustBe(
        Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_RUN_CLAIMED, "run_id", run.id);
    assertFalse(refused.facts().containsKey("claim_id"), "nobody holds it");
    assertEquals(RunStatus.RUN_STATUS_SUCCEEDED, run.get().getStatus());
  }
}

package io.agentjournal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.RenewRunLeaseRequest;
import io.agentjournal.v1.Run;
import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class RenewRunLeaseTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  @Test
  void lease_is_made_longer_and_never_shorter() {
    run.openClaimed("claim-1", "gateway-1");

    Run renewed = renew("claim-1", 600);
    Run again = renew("claim-1", 5);

    long remaining = renewed.getLease().getRemaining().getSeconds();
    assertTrue(remaining >= 595 && remaining < 600, "remaining " + remaining);
    assertEquals(renewed.getLease().getExpiresAt(), again.getLease().getExpiresAt());
    assertEquals("gateway-1", again.getLease().getOwner());
  }

  @Test
  void lease_that_has_run_out_is_renewed_while_nobody_else_has_claimed() {
    run.openClaimed("claim-1", "gateway-1");
    run.expireLease(SERVER);

    assertTrue(renew("claim-1", 60).getLease().getRemaining().getSeconds() > 50);
  }

  @Test
  void who_lost_the_run_is_told_and_changes_nothing() {
    run.openClaimed("claim-1", "gateway-1");
    run.expireLease(SERVER);
    run.claim("claim-2", "gateway-2");
    Run before = run.get();

    Refused.from(() -> renew("claim-1", 3_600))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_RUN_CLAIMED,
            "claim_id",
            "claim-2",
            "owner",
            "gateway-2");
    assertEquals(before.getLease().getExpiresAt(), run.get().getLease().getExpiresAt());
  }

  @Test
  void closed_unclaimed_and_unknown_runs_have_no_lease_to_renew() {
    Refused.from(() -> renew("claim-1", 30))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, "run_id", run.id);
    run.open();
    Refused.from(() -> renew("claim-1", 30))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_RUN_CLAIMED);
    run.claim("claim-1", "gateway-1");
    run.close("done", "claim-1");
    Refused.from(() -> renew("claim-1", 30))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "DONE");
    run.open();
    Refused.from(() -> renew("claim-1", 30))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_RUN_CLAIMED);
  }

  private Run renew(String claimId, int seconds) {
    return run.journal
        .renewRunLease(
            RenewRunLeaseRequest.newBuilder()
                .setRunId(run.id)
                .setClaimId(claimId)
                .setLease(JournalledRun.lease("", seconds))
                .build())
        .getRun();
  }
}

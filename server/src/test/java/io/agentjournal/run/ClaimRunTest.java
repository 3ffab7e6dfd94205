package io.agentjournal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.ClaimRunRequest;
import io.agentjournal.v1.ClaimRunResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.RunJournalServiceGrpc.RunJournalServiceBlockingStub;
import io.agentjournal.v1.RunStatus;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class ClaimRunTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  @Test
  void interrupted_run_is_given_under_a_lease() {
    run.open();

    ClaimRunResponse claimed = run.claim("claim-1", "gateway-1", 60);

    assertTrue(claimed.getApplied());
    assertEquals("claim-1", claimed.getRun().getClaimId());
    assertEquals("gateway-1", claimed.getRun().getLease().getOwner());
    long remaining = claimed.getRun().getLease().getRemaining().getSeconds();
    assertTrue(remaining >= 55 && remaining < 60, "remaining " + remaining);
  }

  @Test
  void repeat_answers_the_same_and_leaves_the_lease_as_it_is() {
    run.open();
    ClaimRunResponse first = run.claim("claim-1", "gateway-1", 30);

    ClaimRunResponse again = run.claim("claim-1", "gateway-1", 3_000);

    assertFalse(again.getApplied());
    assertEquals(
        first.getRun().getLease().getExpiresAt(), again.getRun().getLease().getExpiresAt());
  }

  /** B097. */
  @Test
  void run_with_a_running_lease_is_refused_to_others_and_to_its_claim_under_another_name() {
    run.openClaimed("claim-1", "gateway-1");

    Refused refused = Refused.from(() -> run.claim("claim-2", "gateway-2"));

    refused.mustBe(
        Status.Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_RUN_CLAIMED,
        "claim_id",
        "claim-1",
        "owner",
        "gateway-1");
    assertTrue(Long.parseLong(refused.fact("remaining_ms")) > 20_000);
    Refused.from(() -> run.claim("claim-1", "gateway-2"))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_RUN_CLAIMED);
    assertEquals("claim-1", run.get().getClaimId());
  }

  @Test
  void run_whose_lease_has_run_out_goes_to_another_and_never_back_under_the_same_claim() {
    run.openClaimed("claim-1", "gateway-1");
    run.expireLease(SERVER);

    assertTrue(run.claim("claim-2", "gateway-2").getApplied());
    run.expireLease(SERVER);

    Refused.from(() -> run.claim("claim-1", "gateway-1"))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_CLAIM_USED,
            "run_id",
            run.id,
            "claim_id",
            "claim-1");
    assertEquals("claim-2", run.get().getClaimId());
    assertTrue(run.claim("claim-3", "gateway-1").getApplied());
  }

  @Test
  void closed_run_is_no_phase_for_a_claim_and_an_unknown_one_is_not_found() {
    run.append(JournalledRun.decision(0, "{}"));
    Refused.from(() -> run.claim("claim-1", "gateway-1"))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, "run_id", run.id);
    run.open();
    run.close("failed");

    Refused.from(() -> run.claim("claim-1", "gateway-1"))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "FAILED",
            "wanted",
            "RUNNING");
    assertEquals(RunStatus.RUN_STATUS_FAILED, run.get().getStatus());
  }

  @Test
  void without_a_run_id_the_oldest_interrupted_one_is_given_and_a_repeat_answers_it_again() {
    RunJournalServiceBlockingStub journal = JournalledRun.inNamespaceOfItsOwn(SERVER);
    JournalledRun held = new JournalledRun(journal);
    JournalledRun closed = new JournalledRun(journal);
    JournalledRun oldest = new JournalledRun(journal);
    JournalledRun next = new JournalledRun(journal);
    held.openClaimed("other", "gateway-0");
    closed.open();
    closed.close("done");
    oldest.open();
    next.open();

    assertEquals(oldest.id, claimAny(journal, "claim-1").getRun().getRunId());
    ClaimRunResponse again = claimAny(journal, "claim-1");

    assertFalse(again.getApplied());
    assertEquals(oldest.id, again.getRun().getRunId());
    assertEquals(next.id, claimAny(journal, "claim-2").getRun().getRunId());
    assertFalse(claimAny(journal, "claim-3").hasRun(), "nothing is interrupted");
  }

  @Test
  void run_that_a_claim_has_lost_is_not_given_to_it_again() {
    RunJournalServiceBlockingStub journal = JournalledRun.inNamespaceOfItsOwn(SERVER);
    JournalledRun lost = new JournalledRun(journal);
    lost.openClaimed("claim-1", "gateway");
    lost.expireLease(SERVER);
    lost.claim("claim-2", "gateway");
    lost.expireLease(SERVER);

    assertFalse(claimAny(journal, "claim-1").hasRun());
  }

  @Test
  void of_many_gateways_that_start_at_once_each_run_goes_to_one() throws Exception {
    RunJournalServiceBlockingStub journal = JournalledRun.inNamespaceOfItsOwn(SERVER);
    Set<String> runs = new TreeSet<>();
    for (int i = 0; i < 10; i++) {
      JournalledRun opened = new JournalledRun(journal);
      opened.open();
      runs.add(opened.id);
    }
    ExecutorService gateways = Executors.newFixedThreadPool(20);
    CountDownLatch start = new CountDownLatch(1);
    List<Future<ClaimRunResponse>> claims = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      String claimId = "claim-" + i;
      claims.add(
          gateways.submit(
              () -> {
                start.await();
                return claimAny(journal, claimId);
              }));
    }

    start.countDown();

    List<String> given = new ArrayList<>();
    for (Future<ClaimRunResponse> claim : claims) {
      if (claim.get().hasRun()) {
        given.add(claim.get().getRun().getRunId());
      }
    }
    gateways.shutdown();
    assertEquals(10, given.size());
    assertEquals(runs, new TreeSet<>(given));
  }

  private static ClaimRunResponse claimAny(RunJournalServiceBlockingStub journal, String claimId) {
    return journal.claimRun(
        ClaimRunRequest.newBuilder()
            .setClaimId(claimId)
            .setLease(JournalledRun.lease("gateway", 30))
            .build());
  }
}

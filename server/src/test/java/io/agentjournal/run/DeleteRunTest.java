package io.agentjournal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.DeleteRunRequest;
import io.agentjournal.v1.DeleteRunResponse;
import io.agentjournal.v1.ErrorReason;
import io.grpc.Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class DeleteRunTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  @Test
  void run_and_events_are_gone_and_a_repeat_finds_nothing() {
    run.open();
    run.append(JournalledRun.decision(0, "{}"));

    assertTrue(delete("").getApplied());
    assertEquals(List.of(), run.events());
    for (int repeats = 0; repeats < 2; repeats++) {
      Refused.from(() -> delete(""))
          .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, "run_id", run.id);
    }
    Refused.from(run::get)
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, "run_id", run.id);
  }

  @Test
  void events_of_a_run_that_was_never_opened_are_deleted_too() {
    run.append(JournalledRun.decision(0, "{}"));

    assertTrue(delete("").getApplied());
    assertEquals(List.of(), run.events());
  }

  @Test
  void claimed_run_is_deleted_by_its_claimant_only() {
    run.openClaimed("claim-1", "gateway-1");
    run.appendAs("claim-1", JournalledRun.decision(0, "{}"));

    for (String claim : new String[] {"", "claim-0"}) {
      Refused.from(() -> delete(claim))
          .mustBe(
              Status.Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_RUN_CLAIMED,
              "claim_id",
              "claim-1");
    }
    assertEquals(List.of("0:model_decision"), run.order());
    assertTrue(delete("claim-1").getApplied());
  }

  @Test
  void run_opened_under_the_id_of_a_deleted_one_is_new_and_takes_its_old_claims() {
    run.openClaimed("claim-1", "gateway-1");
    delete("claim-1");

    assertTrue(run.open().getApplied());
    assertEquals("", run.get().getClaimId());
    assertEquals(List.of(), run.events());
    assertTrue(run.claim("claim-1", "gateway-1").getApplied());
  }

  private DeleteRunResponse delete(String claimId) {
    return run.journal.deleteRun(
        DeleteRunRequest.newBuilder().setRunId(run.id).setClaimId(claimId).build());
  }
}

package io.agentjournal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.GetRunRequest;
import io.agentjournal.v1.Run;
import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class GetRunTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  @Test
  void run_that_was_never_opened_is_not_found_also_when_it_has_events() {
    Refused.from(run::get)
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, "run_id", run.id);

    run.append(JournalledRun.decision(0, "{}"));

    Refused.from(run::get)
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, "run_id", run.id);
  }

  @Test
  void lease_that_has_run_out_is_shown_with_a_negative_remainder() {
    run.openClaimed("claim-1", "gateway-1");
    run.expireLease(SERVER);

    Run stored = run.get();

    assertEquals("claim-1", stored.getClaimId());
    assertTrue(stored.getLease().getRemaining().getSeconds() <= -1, stored.toString());
  }

  @Test
  void writes_move_updated_at_and_reads_do_not() {
    Run opened = run.open().getRun();
    run.append(JournalledRun.decision(0, "{}"));
    Run appended = run.get();

    run.events();

    assertTrue(!appended.getUpdatedAt().equals(opened.getUpdatedAt()), "moved by append");
    assertEquals(opened.getCreatedAt(), appended.getCreatedAt());
    assertEquals(appended, run.get());
  }

  @Test
  void id_must_be_an_id() {
    Refused.from(() -> run.journal.getRun(GetRunRequest.getDefaultInstance()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "run_id",
            "size",
            "0");
  }
}

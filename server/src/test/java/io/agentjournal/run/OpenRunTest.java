package io.agentjournal.run;

import static io.agentjournal.run.JournalledRun.decision;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.GetRunRequest;
import io.agentjournal.v1.OpenRunRequest;
import io.agentjournal.v1.OpenRunResponse;
import io.agentjournal.v1.Run;
import io.agentjournal.v1.RunStatus;
import io.grpc.Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class OpenRunTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  @Test
  void new_run_is_running_with_what_it_was_opened_with() {
    OpenRunResponse opened =
        run.journal.openRun(
            request()
                .setAgent("coder")
                .setTask("migrate module")
                .setMetadataJson("{\"b\":1, \"a\":9007199254740993,\"a\":2}")
                .setCheckpointId("c1")
                .build());

    assertTrue(opened.getApplied());
    Run stored = run.get();
    assertEquals(opened.getRun(), stored);
    assertEquals("coder", stored.getAgent());
    assertEquals("migrate module", stored.getTask());
    assertEquals(RunStatus.RUN_STATUS_RUNNING, stored.getStatus());
    assertEquals("{\"b\":1, \"a\":9007199254740993,\"a\":2}", stored.getMetadataJson());
    assertEquals("c1", stored.getCheckpointId());
    assertFalse(stored.hasOutcome());
    assertFalse(stored.hasLease());
  }

  @Test
  void run_opened_with_nothing_has_empty_metadata_and_no_checkpoint() {
    Run stored = run.open().getRun();

    assertEquals("{}", stored.getMetadataJson());
    assertFalse(stored.hasCheckpointId());
  }

  @Test
  void opening_again_keeps_events_created_at_agent_task_and_metadata() {
    run.journal.openRun(request().setAgent("a").setTask("t").setMetadataJson("{\"m\":1}").build());
    Run before = run.get();
    run.append(decision(0, "{}"));

    OpenRunResponse again =
        run.journal.openRun(
            request().setAgent("b").setTask("u").setMetadataJson("{\"m\":2}").build());

    assertFalse(again.getApplied());
    assertEquals(before, run.get().toBuilder().setUpdatedAt(before.getUpdatedAt()).build());
    assertEquals(List.of("0:model_decision"), run.order());
  }

  @Test
  void checkpoint_is_replaced_only_when_given_and_empty_is_given() {
    run.journal.openRun(request().setCheckpointId("c1").build());

    run.open();
    assertEquals("c1", run.get().getCheckpointId());
    assertTrue(run.journal.openRun(request().setCheckpointId("c2").build()).getApplied());
    assertEquals("c2", run.get().getCheckpointId());
    assertFalse(run.journal.openRun(request().setCheckpointId("c2").build()).getApplied());
    run.journal.openRun(request().setCheckpointId("").build());
    assertTrue(run.get().hasCheckpointId());
    assertEquals("", run.get().getCheckpointId());
  }

  @Test
  void opening_a_closed_run_makes_it_running_and_clears_its_outcome() {
    Run first = run.open().getRun();
    run.close("failed");

    OpenRunResponse again = run.open();

    assertTrue(again.getApplied());
    assertEquals(RunStatus.RUN_STATUS_RUNNING, again.getRun().getStatus());
    assertFalse(again.getRun().hasOutcome());
    assertEquals(first.getCreatedAt(), again.getRun().getCreatedAt());
  }

  @Test
  void run_with_events_that_was_never_opened_is_opened_as_new() {
    run.append(decision(0, "{\"text\":\"early\"}"));

    OpenRunResponse opened = run.journal.openRun(request().setAgent("late").build());

    assertTrue(opened.getApplied());
    assertEquals("late", run.get().getAgent());
    assertEquals(List.of("{\"text\":\"early\"}"), run.payloads());
  }

  @Test
  void opening_with_a_claim_claims_and_a_repeat_changes_nothing() {
    OpenRunResponse opened = run.openClaimed("claim-1", "gateway-1");
    OpenRunResponse again = run.openClaimed("claim-1", "gateway-1");

    assertTrue(opened.getApplied());
    assertEquals("claim-1", opened.getRun().getClaimId());
    assertEquals("gateway-1", opened.getRun().getLease().getOwner());
    long remaining = opened.getRun().getLease().getRemaining().getSeconds();
    assertTrue(remaining >= 25 && remaining < 30, "remaining " + remaining);
    assertFalse(again.getApplied());
    assertEquals(
        opened.getRun().getLease().getExpiresAt(), again.getRun().getLease().getExpiresAt());
  }

  @Test
  void claimed_run_is_not_opened_by_others_with_or_without_a_claim() {
    run.openClaimed("claim-1", "gateway-1");

    for (String claim : List.of("", "claim-2")) {
      Refused.from(
              () -> {
                if (claim.isEmpty()) {
                  run.open();
                } else {
                  run.openClaimed(claim, "gateway-2");
                }
              })
          .mustBe(
              Status.Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_RUN_CLAIMED,
              "run_id",
              run.id,
              "claim_id",
              "claim-1",
              "owner",
              "gateway-1");
    }
    assertEquals("claim-1", run.get().getClaimId());
  }

  @Test
  void delayed_repeat_of_an_opening_does_not_open_a_run_that_its_claimant_has_closed() {
    run.openClaimed("claim-1", "gateway-1");
    run.close("succeeded", "claim-1");

    Refused.from(() -> run.openClaimed("claim-1", "gateway-1"))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_CLAIM_USED,
            "run_id",
            run.id,
            "claim_id",
            "claim-1");
    assertEquals(RunStatus.RUN_STATUS_SUCCEEDED, run.get().getStatus());
  }

  @Test
  void namespaces_do_not_see_each_other() {
    JournalledRun other = new JournalledRun(JournalledRun.inNamespaceOfItsOwn(SERVER));
    run.open();

    Refused.from(() -> other.journal.getRun(GetRunRequest.newBuilder().setRunId(run.id).build()))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, "run_id", run.id);
  }

  @Test
  void what_is_not_an_id_or_not_json_or_too_large_is_refused_and_nothing_is_opened() {
    refused("metadata_json", request().setMetadataJson("{\"a\":}"), "offset", "5");
    refused("run_id", request().setRunId("a\u0000b"), "problem", "control character at position 1");
    refused("checkpoint_id", request().setCheckpointId("x".repeat(513)), "limit", "512");
    refused("task", request().setTask("x".repeat(16_385)), "limit", "16384");
    refused("agent", request().setAgent("a\u0000"), "problem", "NUL at position 1");
    refused(
        "lease", request().setLease(JournalledRun.lease("o", 5)), "problem", "without claim_id");
    refused(
        "lease.duration",
        request().setClaimId("c").setLease(JournalledRun.lease("o", 3_601)),
        "value",
        "PT1H1S");
    refused("lease.owner", request().setClaimId("c"), "size", "0");
    Refused.from(run::get)
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, "run_id", run.id);
  }

  private void refused(String field, OpenRunRequest.Builder request, String fact, String value) {
    Refused.from(() -> run.journal.openRun(request.build()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            field,
            fact,
            value);
  }

  private OpenRunRequest.Builder request() {
    return OpenRunRequest.newBuilder().setRunId(run.id);
  }
}

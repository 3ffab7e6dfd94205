package io.agentjournal.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.MarkInputAppliedRequest;
import io.agentjournal.v1.PlanRecoveryRequest;
import io.agentjournal.v1.PlanRecoveryResponse;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.StreamPlan;
import io.agentjournal.v1.ToolPlan;
import io.agentjournal.v1.ToolVerdict;
import io.grpc.Status.Code;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class PlanRecoveryTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static PlanRecoveryResponse plan(Trial trial, String attempt) {
    return trial.recoveries.planRecovery(
        PlanRecoveryRequest.newBuilder().setSubmissionId(trial.id).setAttemptId(attempt).build());
  }

  private static RecoveryAction actionFor(Trial trial, String attempt) {
    return plan(trial, attempt).getPlan().getAction();
  }

  @Test
  void plan_follows_the_turn_through_its_phases() {
    Trial trial = Trial.running(JOURNAL);
    String key = trial.streamKey("t1", "a");
    assertEquals(RecoveryAction.RECOVERY_ACTION_APPLY_INPUT, actionFor(trial, "a"));
    trial.submissions.markInputApplied(
        MarkInputAppliedRequest.newBuilder().setAttempt(trial.ref("a")).build());
    assertEquals(RecoveryAction.RECOVERY_ACTION_BEGIN_TURN, actionFor(trial, "a"));
    trial.begun("a", "t1");
    assertEquals(RecoveryAction.RECOVERY_ACTION_CALL_MODEL, actionFor(trial, "a"));
    trial.start("a", "t1");
    assertEquals(RecoveryAction.RECOVERY_ACTION_CALL_MODEL_AGAIN, actionFor(trial, "a"));
    trial.put("a", key, 0, "abc");
    PlanRecoveryResponse partial = plan(trial, "a");
    assertEquals(RecoveryAction.RECOVERY_ACTION_CONTINUE_STREAM, partial.getPlan().getAction());
    assertEquals(
        StreamPlan.newBuilder().setStreamKey(key).setNextIndex(3).setOpen(true).build(),
        partial.getPlan().getStream());
    trial.consume("a", "t1", key);
    assertEquals(RecoveryAction.RECOVERY_ACTION_REPLAY_STREAM, actionFor(trial, "a"));
    trial.request("a", "t1", Trial.call("c1"), Trial.call("c2"));
    trial.update("a", "t1", Trial.start("c1"));
    PlanRecoveryResponse tools = plan(trial, "a");
    assertEquals(RecoveryAction.RECOVERY_ACTION_FINISH_TOOLS, tools.getPlan().getAction());
    assertEquals(
        List.of(ToolVerdict.TOOL_VERDICT_OUTCOME_UNKNOWN, ToolVerdict.TOOL_VERDICT_NOT_STARTED),
        tools.getPlan().getToolsList().stream().map(ToolPlan::getVerdict).toList());
    trial.commit("a", "t1");
    assertEquals(RecoveryAction.RECOVERY_ACTION_BEGIN_TURN, actionFor(trial, "a"));
    trial.begun("a", "t2");
    trial.start("a", "t2");
    trial.turns.commitTurnJournal(trial.committing("a", "t2").setFinal(true).build());
    assertEquals(RecoveryAction.RECOVERY_ACTION_SETTLE_COMPLETED, actionFor(trial, "a"));
    trial.settle("a", Trial.completed("done"));
    assertEquals(RecoveryAction.RECOVERY_ACTION_NOTHING, actionFor(trial, "a"));
  }

  @Test
  void asking_changes_nothing() {
    Trial trial = Trial.requested(JOURNAL);
    List<String> before = trial.stored.all();
    assertEquals(plan(trial, "").getPlan(), plan(trial, "").getPlan());
    assertEquals(plan(trial, "a").getPlan(), plan(trial, "a").getPlan());
    assertEquals(before, trial.stored.all());
  }

  @Test
  void somebody_else_does_nothing_while_the_lease_lives_and_hears_what_would_be_done_without() {
    Trial trial = Trial.started(JOURNAL);
    PlanRecoveryResponse answer = plan(trial, "");
    assertEquals(RecoveryAction.RECOVERY_ACTION_NOTHING, answer.getPlan().getAction());
    assertEquals(
        RecoveryAction.RECOVERY_ACTION_CALL_MODEL_AGAIN, answer.getPlanWithoutLease().getAction());
    assertEquals("t1", answer.getJournal().getTurnId());
    assertEquals("a", answer.getSubmission().getAttemptId());
    trial.stored.expireLease();
    assertEquals(RecoveryAction.RECOVERY_ACTION_CALL_MODEL_AGAIN, actionFor(trial, ""));
    assertEquals(RecoveryAction.RECOVERY_ACTION_CALL_MODEL_AGAIN, actionFor(trial, "stranger"));
  }

  @Test
  void stream_that_another_turn_left_behind_does_not_count() {
    Trial trial = Trial.started(JOURNAL);
    trial.put("a", trial.streamKey("t1", "a"), 0, "abc");
    trial.begun("a", "t2");
    assertEquals(RecoveryAction.RECOVERY_ACTION_CALL_MODEL, actionFor(trial, "a"));
  }

  @Test
  void spent_attempts_are_told_to_others_but_not_to_the_holder_of_the_last() {
    Trial trial = Trial.started(JOURNAL);
    trial.stored.update("UPDATE submissions SET max_attempts = 1 WHERE submission_id = ?");
    assertEquals(RecoveryAction.RECOVERY_ACTION_CALL_MODEL_AGAIN, actionFor(trial, "a"));
    assertEquals(
        RecoveryAction.RECOVERY_ACTION_SETTLE_FAILED,
        plan(trial, "").getPlanWithoutLease().getAction());
  }

  @Test
  void requested_abort_and_spent_time_are_told_to_the_holder_too() {
    Trial aborted = Trial.started(JOURNAL);
    aborted.stored.update(
        "UPDATE submissions SET abort_requested_at = now(), abort_reason = 'no' WHERE submission_id"
            + " = ?");
    assertEquals(RecoveryAction.RECOVERY_ACTION_SETTLE_ABORTED, actionFor(aborted, "a"));
    Trial late = Trial.started(JOURNAL);
    late.stored.update(
        "UPDATE submissions SET deadline_at = now() - interval '1 second' WHERE submission_id = ?");
    assertEquals(RecoveryAction.RECOVERY_ACTION_SETTLE_FAILED, actionFor(late, "a"));
  }

  @Test
  void queued_submission_is_planned_as_whoever_claims_it_finds_it() {
    Trial trial = Trial.queued(JOURNAL);
    PlanRecoveryResponse answer = plan(trial, "");
    assertEquals(RecoveryAction.RECOVERY_ACTION_APPLY_INPUT, answer.getPlan().getAction());
    assertFalse(answer.hasJournal());
  }

  @Test
  void unknown_submission_is_not_found() {
    Trial trial = Trial.queued(JOURNAL);
    Refused.from(
            () ->
                trial.recoveries.planRecovery(
                    PlanRecoveryRequest.newBuilder().setSubmissionId("nobody's").build()))
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
  }
}

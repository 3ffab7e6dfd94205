package io.agentjournal.it.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.client.RecoveryClassifier;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.GetSubmissionResponse;
import io.agentjournal.v1.NewWait;
import io.agentjournal.v1.PlanRecoveryRequest;
import io.agentjournal.v1.PlanRecoveryResponse;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.RequestRecoveryRequest;
import io.agentjournal.v1.ResumeSubmissionRequest;
import io.agentjournal.v1.SuspendSubmissionRequest;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The client's classifier, given what GetSubmission answers, says what the server says. */
final class RecoveryClassifierTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final Set<RecoveryAction> seen = new LinkedHashSet<>();

  @Test
  void through_all_phases_of_turns_it_says_what_the_server_says() {
    Trial trial = Trial.queued(SERVER);
    requireAgreement(trial);
    trial.claim("a");
    requireAgreement(trial);
    trial.begun("a", "t1");
    requireAgreement(trial);
    trial.start("a", "t1");
    requireAgreement(trial);
    trial.put("a", trial.streamKey("t1", "a"), 0, "abc");
    requireAgreement(trial);
    trial.consume("a", "t1", trial.streamKey("t1", "a"));
    requireAgreement(trial);
    trial.request("a", "t1", Trial.call("c1"), Trial.call("c2"), Trial.call("c3"));
    trial.update("a", "t1", Trial.start("c1"));
    trial.update("a", "t1", Trial.start("c2"));
    trial.update("a", "t1", Trial.result("c2", Trial.entry(trial.id + "-r", "done")));
    requireAgreement(trial);
    trial.commit("a", "t1");
    requireAgreement(trial);
    trial.begun("a", "t2");
    trial.start("a", "t2");
    trial.turns.commitTurnJournal(trial.committing("a", "t2").setFinal(true).build());
    requireAgreement(trial);
    trial.settle("a", Trial.completed("done"));
    requireAgreement(trial);

    assertEquals(9, seen.size(), "actions that were met: " + seen);
  }

  @Test
  void expired_spent_aborted_and_late_submissions_are_told_as_the_server_tells_them() {
    Trial expired = Trial.requested(SERVER);
    expired.stored.expireLease();
    requireAgreement(expired);
    Trial spent = Trial.started(SERVER);
    spent.stored.update("UPDATE submissions SET max_attempts = 1 WHERE submission_id = ?");
    requireAgreement(spent);
    Trial aborted = Trial.started(SERVER);
    aborted.stored.update(
        "UPDATE submissions SET abort_requested_at = now(), abort_reason = 'no' WHERE submission_id"
            + " = ?");
    requireAgreement(aborted);
    Trial late = Trial.started(SERVER);
    late.stored.update(
        "UPDATE submissions SET deadline_at = now() - interval '1 second' WHERE submission_id = ?");
    requireAgreement(late);
    Trial handedOver = Trial.started(SERVER);
    handedOver.submissions.requestRecovery(
        RequestRecoveryRequest.newBuilder().setAttempt(handedOver.ref("a")).build());
    requireAgreement(handedOver);
  }

  @Test
  void waiting_submission_is_nobodys_until_its_answer_is_there() {
    Trial trial = Trial.started(SERVER);
    trial.submissions.suspendSubmission(
        SuspendSubmissionRequest.newBuilder()
            .setAttempt(trial.ref("a"))
            .addWaits(NewWait.newBuilder().setWaitId("w1"))
            .build());
    requireAgreement(trial);
    trial.submissions.resumeSubmission(
        ResumeSubmissionRequest.newBuilder().setSubmissionId(trial.id).setWaitId("w1").build());
    requireAgreement(trial);
    assertEquals(
        Set.of(
            RecoveryAction.RECOVERY_ACTION_NOTHING,
            RecoveryAction.RECOVERY_ACTION_CALL_MODEL_AGAIN),
        seen);
  }

  /** Asked by the holder, by a stranger, and by a stranger if the lease ended now. */
  private void requireAgreement(Trial trial) {
    GetSubmissionResponse found =
        trial.submissions.getSubmission(
            GetSubmissionRequest.newBuilder().setSubmissionId(trial.id).build());
    Instant now = RecoveryClassifier.timeOf(found);
    PlanRecoveryResponse forHolder = plan(trial, "a");
    PlanRecoveryResponse forStranger = plan(trial, null);
    seen.add(forHolder.getPlan().getAction());
    assertEquals(forHolder.getPlan(), RecoveryClassifier.plan(found, "a", now));
    assertEquals(forStranger.getPlan(), RecoveryClassifier.plan(found, null, now));
    assertEquals(
        forStranger.getPlanWithoutLease(), RecoveryClassifier.planWithoutLease(found, now));
  }

  private static PlanRecoveryResponse plan(Trial trial, @Nullable String attemptId) {
    return trial.recoveries.planRecovery(
        PlanRecoveryRequest.newBuilder()
            .setSubmissionId(trial.id)
            .setAttemptId(attemptId == null ? "" : attemptId)
            .build());
  }
}

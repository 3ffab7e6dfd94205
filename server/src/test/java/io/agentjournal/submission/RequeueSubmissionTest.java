package io.agentjournal.submission;

import static io.agentjournal.submission.SubmissionCaller.fresh;
import static io.agentjournal.submission.SubmissionCaller.seconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.MarkInputAppliedRequest;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.RequestAbortRequest;
import io.agentjournal.v1.RequeueSubmissionRequest;
import io.agentjournal.v1.RequeueSubmissionResponse;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionStatus;
import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class RequeueSubmissionTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);

  private RequeueSubmissionResponse requeue(AttemptRef attempt, String reason) {
    return calls
        .stub()
        .requeueSubmission(
            RequeueSubmissionRequest.newBuilder().setAttempt(attempt).setReason(reason).build());
  }

  @Test
  void submission_goes_back_to_its_place_and_the_attempt_is_not_counted() {
    String session = fresh("session");
    String first = fresh("sub");
    String second = fresh("sub");
    calls.admit(session, first);
    calls.admit(session, second);
    AttemptRef attempt = calls.claimed(first);
    RequeueSubmissionResponse requeued = requeue(attempt, "no capacity");
    Submission submission = requeued.getSubmission();
    assertTrue(requeued.getApplied());
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_QUEUED, submission.getStatus());
    assertEquals(0, submission.getAttemptCount());
    assertFalse(submission.hasLease());
    assertEquals(
        "REQUEUED no capacity",
        rows.value(
            "SELECT end_kind || ' ' || reason FROM attempts WHERE attempt_id = ?",
            attempt.getAttemptId()));
    Refused.from(() -> calls.claimed(second))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_BUSY);
    calls.claimed(first);
  }

  @Test
  void same_again_is_applied_false_also_when_somebody_else_has_claimed_it() {
    AttemptRef attempt = calls.claimed();
    requeue(attempt, "no capacity");
    AttemptRef next = calls.claimed(attempt.getSubmissionId());
    assertFalse(requeue(attempt, "no capacity").getApplied());
    assertEquals(next.getAttemptId(), calls.submission(attempt.getSubmissionId()).getAttemptId());
    Refused.from(() -> requeue(attempt, "another reason"))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
  }

  @Test
  void attempt_that_gave_it_back_does_not_come_again() {
    AttemptRef attempt = calls.claimed();
    requeue(attempt, "");
    Refused.from(() -> calls.claim(attempt))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ATTEMPT_USED);
  }

  @Test
  void nobody_gets_it_before_the_delay_is_over() {
    AttemptRef attempt = calls.claimed();
    calls
        .stub()
        .requeueSubmission(
            RequeueSubmissionRequest.newBuilder()
                .setAttempt(attempt)
                .setDelay(seconds(60))
                .build());
    Refused.from(() -> calls.claimed(attempt.getSubmissionId()))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_NOT_RUNNABLE);
    rows.letTimePass(attempt.getSubmissionId(), java.time.Duration.ofSeconds(61));
    calls.claimed(attempt.getSubmissionId());
  }

  @Test
  void applied_input_is_not_given_back() {
    AttemptRef attempt = calls.claimed();
    calls.stub().markInputApplied(MarkInputAppliedRequest.newBuilder().setAttempt(attempt).build());
    Refused.from(() -> requeue(attempt, ""))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "input_applied");
    assertEquals(
        SubmissionStatus.SUBMISSION_STATUS_RUNNING,
        calls.submission(attempt.getSubmissionId()).getStatus());
  }

  @Test
  void requested_abort_settles_it_instead() {
    AttemptRef attempt = calls.claimed();
    calls
        .stub()
        .requestAbort(
            RequestAbortRequest.newBuilder().setSubmissionId(attempt.getSubmissionId()).build());
    Submission submission = requeue(attempt, "").getSubmission();
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_SETTLED, submission.getStatus());
    assertEquals(Outcome.OUTCOME_ABORTED, submission.getSettlement().getOutcome());
  }

  @Test
  void stale_and_settled_are_refused() {
    AttemptRef attempt = calls.claimed();
    rows.endLease(attempt.getSubmissionId());
    AttemptRef next = calls.claimed(attempt.getSubmissionId());
    Refused.from(() -> requeue(attempt, ""))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
    calls.settle(next, Outcome.OUTCOME_FAILED);
    Refused.from(() -> requeue(next, ""))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ALREADY_SETTLED);
  }
}

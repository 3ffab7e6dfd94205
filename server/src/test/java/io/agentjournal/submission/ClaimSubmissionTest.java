package io.agentjournal.submission;

import static io.agentjournal.submission.SubmissionCaller.OWNER;
import static io.agentjournal.submission.SubmissionCaller.admission;
import static io.agentjournal.submission.SubmissionCaller.attempt;
import static io.agentjournal.submission.SubmissionCaller.fresh;
import static io.agentjournal.submission.SubmissionCaller.seconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ClaimSubmissionResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionStatus;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class ClaimSubmissionTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);

  @Test
  void head_of_the_queue_runs_under_the_attempt_with_a_lease_a_budget_and_a_plan() {
    String id = calls.admitted();
    AttemptRef attempt = attempt(id, fresh("attempt"));
    ClaimSubmissionResponse claimed = calls.claim(attempt);
    Submission submission = claimed.getSubmission();
    assertTrue(claimed.getApplied());
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_RUNNING, submission.getStatus());
    assertEquals(attempt.getAttemptId(), submission.getAttemptId());
    assertEquals(OWNER, submission.getLease().getOwner());
    assertEquals(1, submission.getAttemptCount());
    assertEquals(
        submission.getStartedAt().getSeconds() + 3_600, submission.getDeadlineAt().getSeconds());
    long remaining = submission.getLease().getRemaining().getSeconds();
    assertTrue(remaining >= 20 && remaining < 30, "of 30 s are left " + remaining);
    assertFalse(claimed.hasJournal());
    assertEquals(RecoveryAction.RECOVERY_ACTION_APPLY_INPUT, claimed.getPlan().getAction());
  }

  @Test
  void same_attempt_and_owner_again_is_applied_false_while_it_holds_the_submission() {
    AttemptRef attempt = calls.claimed();
    ClaimSubmissionResponse repeat = calls.claim(attempt);
    assertFalse(repeat.getApplied());
    assertEquals(attempt.getAttemptId(), repeat.getSubmission().getAttemptId());
    assertEquals(1, repeat.getSubmission().getAttemptCount());
    assertEquals(RecoveryAction.RECOVERY_ACTION_APPLY_INPUT, repeat.getPlan().getAction());
  }

  @Test
  void same_attempt_of_another_owner_is_refused() {
    AttemptRef attempt = calls.claimed();
    Refused.from(() -> calls.claim(attempt, "worker-2", seconds(30)))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ATTEMPT_USED,
            "attempt_id",
            attempt.getAttemptId());
    assertEquals(OWNER, calls.submission(attempt.getSubmissionId()).getLease().getOwner());
  }

  @Test
  void only_the_head_of_the_session_is_claimed() {
    String session = fresh("session");
    String first = fresh("sub");
    String second = fresh("sub");
    calls.admit(session, first);
    calls.admit(session, second);
    Refused.from(() -> calls.claimed(second))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_SESSION_BUSY,
            "session_key",
            session,
            "active_submission_id",
            first);
    AttemptRef attempt = calls.claimed(first);
    Refused.from(() -> calls.claimed(second))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_BUSY);
    calls.settle(attempt, Outcome.OUTCOME_COMPLETED);
    calls.claimed(second);
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_RUNNING, calls.submission(second).getStatus());
  }

  /** B097: the second owner is refused and told who holds it, and how long. */
  @Test
  void living_lease_is_held_and_its_holder_is_told() {
    AttemptRef attempt = calls.claimed();
    Refused refused =
        Refused.from(
            () ->
                calls.claim(
                    attempt(attempt.getSubmissionId(), fresh("attempt")), "other", seconds(9)));
    refused.mustBe(
        Status.Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_LEASE_HELD,
        "submission_id",
        attempt.getSubmissionId(),
        "attempt_id",
        attempt.getAttemptId(),
        "owner",
        OWNER);
    assertTrue(Long.parseLong(refused.fact("remaining_ms")) > 10_000);
    assertTrue(refused.facts().containsKey("expires_at"));
    assertEquals(1, calls.submission(attempt.getSubmissionId()).getAttemptCount());
  }

  /** B103: after the lease has run out another attempt takes over; the first one is fenced off. */
  @Test
  void expired_lease_is_taken_over() {
    AttemptRef first = calls.claimed();
    rows.endLease(first.getSubmissionId());
    AttemptRef second = attempt(first.getSubmissionId(), fresh("attempt"));
    ClaimSubmissionResponse taken = calls.claim(second, "worker-2", seconds(30));
    assertTrue(taken.getApplied());
    assertEquals(2, taken.getSubmission().getAttemptCount());
    assertEquals("worker-2", taken.getSubmission().getLease().getOwner());
    Refused.from(() -> calls.settle(first, Outcome.OUTCOME_COMPLETED))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "attempt_id",
            first.getAttemptId(),
            "current_attempt_id",
            second.getAttemptId(),
            "current_owner",
            "worker-2");
    assertEquals(
        SubmissionStatus.SUBMISSION_STATUS_RUNNING,
        calls.submission(first.getSubmissionId()).getStatus());
    assertFalse(calls.claim(second, "worker-2", seconds(30)).getApplied());
  }

  /** An attempt id used again would revive a zombie. */
  @Test
  void attempt_id_is_used_once_per_submission_ever() {
    AttemptRef first = calls.claimed();
    rows.endLease(first.getSubmissionId());
    calls.claimed(first.getSubmissionId());
    rows.endLease(first.getSubmissionId());
    Refused.from(() -> calls.claim(first))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ATTEMPT_USED,
            "submission_id",
            first.getSubmissionId(),
            "attempt_id",
            first.getAttemptId());
    assertEquals(2, calls.submission(first.getSubmissionId()).getAttemptCount());
  }

  @Test
  void spent_attempts_refuse_the_next_one() {
    String id = fresh("sub");
    calls.stub().admitSubmission(admission(fresh("session"), id).setMaxAttempts(2).build());
    calls.claimed(id);
    rows.endLease(id);
    calls.claimed(id);
    rows.endLease(id);
    Refused.from(() -> calls.claimed(id))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_BUDGET_SPENT,
            "attempts",
            "2",
            "max_attempts",
            "2");
    assertEquals(2, calls.submission(id).getAttemptCount());
  }

  @Test
  void spent_time_refuses_the_next_attempt() {
    String id = fresh("sub");
    calls.stub().admitSubmission(admission(fresh("session"), id).setTimeout(seconds(60)).build());
    AttemptRef first = calls.claimed(id);
    rows.letTimePass(id, Duration.ofSeconds(61));
    Refused.from(() -> calls.claimed(id))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_BUDGET_SPENT,
            "timeout_ms",
            "60000");
    assertEquals(first.getAttemptId(), calls.submission(id).getAttemptId());
  }

  @Test
  void lease_never_reaches_past_the_deadline() {
    String id = fresh("sub");
    calls.stub().admitSubmission(admission(fresh("session"), id).setTimeout(seconds(5)).build());
    Submission submission =
        calls.claim(attempt(id, fresh("attempt")), OWNER, seconds(3_600)).getSubmission();
    assertEquals(submission.getDeadlineAt(), submission.getLease().getExpiresAt());
  }

  @Test
  void nobody_gets_a_delayed_submission_before_its_time() {
    String id = fresh("sub");
    calls.stub().admitSubmission(admission(fresh("session"), id).setDelay(seconds(60)).build());
    Refused refused = Refused.from(() -> calls.claimed(id));
    refused.mustBe(
        Status.Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_NOT_RUNNABLE,
        "submission_id",
        id);
    assertTrue(refused.facts().containsKey("not_before"));
    rows.letTimePass(id, Duration.ofSeconds(61));
    calls.claimed(id);
  }

  @Test
  void settled_submission_is_not_claimed() {
    AttemptRef attempt = calls.claimed();
    calls.settle(attempt, Outcome.OUTCOME_COMPLETED);
    Refused.from(() -> calls.claim(attempt))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ALREADY_SETTLED,
            "submission_id",
            attempt.getSubmissionId(),
            "outcome",
            "COMPLETED");
  }

  @Test
  void unknown_submission_is_not_found() {
    Refused.from(() -> calls.claimed("nobody-knows-it"))
        .mustBe(
            Status.Code.NOT_FOUND,
            ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND,
            "submission_id",
            "nobody-knows-it");
  }

  @Test
  void lease_wants_an_owner_and_a_duration_from_a_second_to_an_hour() {
    AttemptRef attempt = attempt(calls.admitted(), fresh("attempt"));
    refuseField(attempt, "", seconds(30), "lease.owner");
    refuseField(attempt, OWNER, seconds(0), "lease.duration");
    refuseField(attempt, OWNER, seconds(3_601), "lease.duration");
    assertEquals(
        SubmissionStatus.SUBMISSION_STATUS_QUEUED,
        calls.submission(attempt.getSubmissionId()).getStatus());
  }

  private void refuseField(
      AttemptRef attempt, String owner, com.google.protobuf.Duration duration, String field) {
    Refused.from(() -> calls.claim(attempt, owner, duration))
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", field);
  }

  @Test
  void of_twenty_claims_at_once_one_wins() throws Exception {
    String id = calls.admitted();
    assertEquals(1, winners(id));
    assertEquals(1, calls.submission(id).getAttemptCount());
  }

  @Test
  void of_twenty_claims_of_an_expired_lease_at_once_one_wins() throws Exception {
    String id = calls.claimed().getSubmissionId();
    rows.endLease(id);
    assertEquals(1, winners(id));
    assertEquals(2, calls.submission(id).getAttemptCount());
    assertEquals(
        1,
        rows.count(
            "SELECT count(*) FROM attempts WHERE submission_id = ? AND ended_at IS NULL", id));
  }

  private int winners(String id) throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(20);
    try {
      List<Callable<Boolean>> claims = new ArrayList<>();
      for (int client = 0; client < 20; client++) {
        claims.add(() -> wins(id));
      }
      int winners = 0;
      for (Future<Boolean> claim : clients.invokeAll(claims)) {
        winners += claim.get() ? 1 : 0;
      }
      return winners;
    } finally {
      clients.shutdownNow();
    }
  }

  private boolean wins(String id) {
    try {
      return calls.claim(attempt(id, fresh("attempt"))).getApplied();
    } catch (StatusRuntimeException e) {
      assertEquals(ErrorReason.ERROR_REASON_LEASE_HELD, Refused.of(e).reason());
      return false;
    }
  }
}

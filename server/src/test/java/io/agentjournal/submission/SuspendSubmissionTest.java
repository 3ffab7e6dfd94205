package io.agentjournal.submission;

import static io.agentjournal.submission.SubmissionCaller.admission;
import static io.agentjournal.submission.SubmissionCaller.attempt;
import static io.agentjournal.submission.SubmissionCaller.fresh;
import static io.agentjournal.submission.SubmissionCaller.seconds;
import static io.agentjournal.submission.SubmissionCaller.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.NewWait;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.RequestAbortRequest;
import io.agentjournal.v1.ResumeSubmissionRequest;
import io.agentjournal.v1.ResumeSubmissionResponse;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionStatus;
import io.agentjournal.v1.SuspendSubmissionRequest;
import io.agentjournal.v1.SuspendSubmissionResponse;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** SuspendSubmission and ResumeSubmission, which are nothing without each other. */
final class SuspendSubmissionTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);

  private static NewWait question(String waitId) {
    return NewWait.newBuilder().setWaitId(waitId).setQuestion(text("may I " + waitId)).build();
  }

  private SuspendSubmissionResponse suspend(AttemptRef attempt, NewWait... waits) {
    return calls
        .stub()
        .suspendSubmission(
            SuspendSubmissionRequest.newBuilder()
                .setAttempt(attempt)
                .addAllWaits(List.of(waits))
                .build());
  }

  private ResumeSubmissionResponse answer(AttemptRef attempt, String waitId, String answer) {
    return calls
        .stub()
        .resumeSubmission(
            ResumeSubmissionRequest.newBuilder()
                .setSubmissionId(attempt.getSubmissionId())
                .setWaitId(waitId)
                .setAnswer(text(answer))
                .setAnsweredBy("ann")
                .build());
  }

  @Test
  void suspended_submission_waits_without_owner_and_lease_and_the_session_stays_busy() {
    String session = fresh("session");
    String id = fresh("sub");
    String behind = fresh("sub");
    calls.admit(session, id);
    calls.admit(session, behind);
    AttemptRef attempt = calls.claimed(id);
    SuspendSubmissionResponse suspended = suspend(attempt, question("delete"));
    Submission submission = suspended.getSubmission();
    assertTrue(suspended.getApplied());
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_WAITING, submission.getStatus());
    assertFalse(submission.hasLease());
    assertEquals(1, submission.getWaitsCount());
    assertEquals("delete", submission.getWaits(0).getWaitId());
    assertEquals(text("may I delete"), submission.getWaits(0).getQuestion());
    assertFalse(submission.getWaits(0).hasAnsweredAt());
    Refused.from(() -> calls.claimed(id))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_NOT_RUNNABLE);
    Refused.from(() -> calls.claimed(behind))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_BUSY);
    Refused.from(() -> calls.settle(attempt, Outcome.OUTCOME_FAILED))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
  }

  @Test
  void when_every_wait_is_answered_it_is_claimed_again_at_no_cost() {
    AttemptRef attempt = calls.claimed();
    suspend(attempt, question("a"), question("b"));
    answer(attempt, "a", "yes");
    Refused.from(() -> calls.claimed(attempt.getSubmissionId()))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_NOT_RUNNABLE);
    answer(attempt, "b", "no");
    calls.claimed(attempt.getSubmissionId());
    Submission submission = calls.submission(attempt.getSubmissionId());
    assertEquals(1, submission.getAttemptCount());
    assertEquals(text("yes"), submission.getWaits(0).getAnswer());
    assertEquals("ann", submission.getWaits(0).getAnsweredBy());
    assertEquals(text("no"), submission.getWaits(1).getAnswer());
  }

  @Test
  void first_answer_wins() {
    AttemptRef attempt = calls.claimed();
    suspend(attempt, question("a"));
    assertTrue(answer(attempt, "a", "yes").getApplied());
    assertFalse(answer(attempt, "a", "yes").getApplied());
    Refused.from(() -> answer(attempt, "a", "no"))
        .mustBe(
            Status.Code.ALREADY_EXISTS,
            ErrorReason.ERROR_REASON_WAIT_CONFLICT,
            "submission_id",
            attempt.getSubmissionId(),
            "wait_id",
            "a");
    assertEquals(text("yes"), calls.submission(attempt.getSubmissionId()).getWaits(0).getAnswer());
  }

  @Test
  void answer_may_come_before_the_question_and_then_it_goes_on_running() {
    AttemptRef attempt = calls.claimed();
    answer(attempt, "a", "yes");
    assertEquals(text("yes"), calls.submission(attempt.getSubmissionId()).getWaits(0).getAnswer());
    SuspendSubmissionResponse suspended = suspend(attempt, question("a"));
    assertTrue(suspended.getApplied());
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_RUNNING, suspended.getSubmission().getStatus());
    assertEquals(attempt.getAttemptId(), suspended.getSubmission().getAttemptId());
    assertEquals(text("yes"), suspended.getSubmission().getWaits(0).getAnswer());
    assertFalse(suspend(attempt, question("a")).getApplied());
    // Of two questions one is open.
    assertEquals(
        SubmissionStatus.SUBMISSION_STATUS_WAITING,
        suspend(attempt, question("a"), question("b")).getSubmission().getStatus());
  }

  /** The fence comes before what the questions are. */
  @Test
  void attempt_that_waits_no_more_is_told_so_whatever_its_questions_are() {
    AttemptRef attempt = calls.claimed();
    suspend(attempt, question("a"));
    answer(attempt, "a", "yes");
    AttemptRef next = calls.claimed(attempt.getSubmissionId());
    NewWait other = question("a").toBuilder().setQuestion(text("something else")).build();
    Refused.from(() -> suspend(attempt, other))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "current_attempt_id",
            next.getAttemptId());
  }

  @Test
  void same_again_is_applied_false_and_another_question_under_the_id_a_conflict() {
    AttemptRef attempt = calls.claimed();
    suspend(attempt, question("a"));
    assertFalse(suspend(attempt, question("a")).getApplied());
    answer(attempt, "a", "yes");
    AttemptRef next = calls.claimed(attempt.getSubmissionId());
    assertFalse(suspend(attempt, question("a")).getApplied());
    NewWait other = question("a").toBuilder().setQuestion(text("something else")).build();
    Refused.from(() -> suspend(next, other))
        .mustBe(Status.Code.ALREADY_EXISTS, ErrorReason.ERROR_REASON_WAIT_CONFLICT, "wait_id", "a");
    assertEquals(next.getAttemptId(), calls.submission(attempt.getSubmissionId()).getAttemptId());
  }

  @Test
  void waits_expire_and_a_delay_ends_the_waiting() {
    AttemptRef expiring = calls.claimed();
    suspend(expiring, question("a").toBuilder().setTimeout(seconds(60)).build());
    assertTrue(calls.submission(expiring.getSubmissionId()).getWaits(0).hasExpiresAt());
    Refused.from(() -> calls.claimed(expiring.getSubmissionId()))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_NOT_RUNNABLE);
    rows.letTimePass(expiring.getSubmissionId(), Duration.ofSeconds(61));
    calls.claimed(expiring.getSubmissionId());

    AttemptRef delayed = calls.claimed();
    calls
        .stub()
        .suspendSubmission(
            SuspendSubmissionRequest.newBuilder()
                .setAttempt(delayed)
                .addWaits(question("a"))
                .setDelay(seconds(60))
                .build());
    Refused.from(() -> calls.claimed(delayed.getSubmissionId()))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_NOT_RUNNABLE);
    rows.letTimePass(delayed.getSubmissionId(), Duration.ofSeconds(61));
    calls.claimed(delayed.getSubmissionId());
  }

  @Test
  void waiting_stops_the_clock_of_the_timeout() {
    String id = fresh("sub");
    calls.stub().admitSubmission(admission(fresh("session"), id).setTimeout(seconds(60)).build());
    AttemptRef attempt = attempt(id, fresh("attempt"));
    calls.claim(attempt);
    suspend(attempt, question("a"));
    // Ten days in which nothing was done.
    rows.execute(
        """
        UPDATE submissions
           SET waiting_since = waiting_since - interval '10 days', deadline_at = deadline_at - interval '10 days'
         WHERE submission_id = ?
        """,
        id);
    answer(attempt, "a", "yes");
    calls.claimed(id);
    Submission submission = calls.submission(id);
    long left =
        submission.getDeadlineAt().getSeconds()
            - submission.getLease().getExpiresAt().getSeconds()
            + submission.getLease().getRemaining().getSeconds();
    assertTrue(left > 40 && left <= 60, "of 60 s are left " + left);
  }

  /** A suspended attempt is as fenced as a replaced one, its open stream included. */
  @Test
  void open_stream_has_no_writer_while_it_waits_and_the_next_attempt_goes_on_there() {
    AttemptRef attempt = calls.claimed();
    String stream =
        TurnJournalServiceGrpc.newBlockingStub(JOURNAL.channel())
            .beginTurnJournal(
                BeginTurnJournalRequest.newBuilder()
                    .setAttempt(attempt)
                    .setTurnId("t1")
                    .setStart(ProviderStart.getDefaultInstance())
                    .build())
            .getJournal()
            .getStreamKey();
    put(attempt, stream, 0);
    suspend(attempt, question("a"));
    Refused.from(() -> put(attempt, stream, 1))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
    answer(attempt, "a", "yes");
    AttemptRef next = calls.claimed(attempt.getSubmissionId());
    Refused.from(() -> put(attempt, stream, 1))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
    put(next, stream, 1);
    assertEquals(2, calls.get(attempt.getSubmissionId()).getStream().getNextIndex());
    assertEquals(
        next.getAttemptId(), calls.get(attempt.getSubmissionId()).getJournal().getAttemptId());
  }

  private static void put(AttemptRef attempt, String stream, long index) {
    SegmentServiceGrpc.newBlockingStub(JOURNAL.channel())
        .putSegments(
            PutSegmentsRequest.newBuilder()
                .setOpen(StreamOpen.newBuilder().setStreamKey(stream).setAttempt(attempt))
                .setFirstIndex(index)
                .addSegments(Segment.newBuilder().setText("token"))
                .build());
  }

  @Test
  void abort_settles_what_waits_and_what_would_wait() {
    AttemptRef waiting = calls.claimed();
    suspend(waiting, question("a"));
    abort(waiting);
    assertEquals(
        Outcome.OUTCOME_ABORTED,
        calls.submission(waiting.getSubmissionId()).getSettlement().getOutcome());
    Refused.from(() -> answer(waiting, "a", "yes"))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ALREADY_SETTLED);
    AttemptRef running = calls.claimed();
    abort(running);
    assertEquals(
        Outcome.OUTCOME_ABORTED,
        suspend(running, question("a")).getSubmission().getSettlement().getOutcome());
  }

  private void abort(AttemptRef attempt) {
    calls
        .stub()
        .requestAbort(
            RequestAbortRequest.newBuilder().setSubmissionId(attempt.getSubmissionId()).build());
  }

  @Test
  void stale_attempt_is_refused_and_asks_nothing() {
    AttemptRef attempt = calls.claimed();
    rows.endLease(attempt.getSubmissionId());
    calls.claimed(attempt.getSubmissionId());
    Refused.from(() -> suspend(attempt, question("a")))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
    assertEquals(0, calls.submission(attempt.getSubmissionId()).getWaitsCount());
    Refused.from(() -> suspend(attempt("nobody-knows-it", "a"), question("a")))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
  }

  @Test
  void what_is_asked_and_answered_is_bounded() {
    AttemptRef attempt = calls.claimed();
    Refused.from(() -> suspend(attempt))
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "waits");
    NewWait[] many = new NewWait[101];
    for (int i = 0; i < many.length; i++) {
      many[i] = question("w" + i);
    }
    Refused.from(() -> suspend(attempt, many))
        .mustBe(Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_TOO_LARGE, "field", "waits");
    Refused.from(() -> answer(attempt, "a", "x".repeat((64 << 10) + 1)))
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_TOO_LARGE, "field", "answer");
    Refused last = null;
    for (int i = 0; i < 20 && last == null; i++) {
      String waitId = "w" + i;
      String large = "x".repeat(60 << 10);
      try {
        answer(attempt, waitId, large);
      } catch (io.grpc.StatusRuntimeException e) {
        last = Refused.of(e);
      }
    }
    assertTrue(last != null && last.reason() == ErrorReason.ERROR_REASON_TOO_LARGE, "1 MiB in all");
  }
}

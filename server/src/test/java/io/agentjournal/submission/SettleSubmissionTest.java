package io.agentjournal.submission;

import static io.agentjournal.submission.SubmissionCaller.attempt;
import static io.agentjournal.submission.SubmissionCaller.entry;
import static io.agentjournal.submission.SubmissionCaller.fresh;
import static io.agentjournal.submission.SubmissionCaller.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.SettleSubmissionRequest;
import io.agentjournal.v1.SettleSubmissionResponse;
import io.agentjournal.v1.Settlement;
import io.agentjournal.v1.SettlementView;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionStatus;
import io.grpc.Status;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class SettleSubmissionTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);

  private static SettleSubmissionRequest completed(AttemptRef attempt, String result) {
    return SettleSubmissionRequest.newBuilder()
        .setAttempt(attempt)
        .setSettlement(
            Settlement.newBuilder().setOutcome(Outcome.OUTCOME_COMPLETED).setResult(text(result)))
        .build();
  }

  @Test
  void settled_submission_has_its_outcome_and_result_and_no_holder() {
    AttemptRef attempt = calls.claimed();
    SettleSubmissionResponse settled = calls.stub().settleSubmission(completed(attempt, "42"));
    Submission submission = settled.getSubmission();
    SettlementView settlement = submission.getSettlement();
    assertTrue(settled.getApplied());
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_SETTLED, submission.getStatus());
    assertEquals(Outcome.OUTCOME_COMPLETED, settlement.getOutcome());
    assertEquals(text("42"), settlement.getResult().getPayload());
    assertEquals(attempt.getAttemptId(), settlement.getSettledByAttemptId());
    assertTrue(settlement.hasSettledAt());
    assertFalse(submission.hasLease());
    assertEquals("", submission.getAttemptId());
    assertEquals(submission, calls.submission(attempt.getSubmissionId()));
    assertEquals(
        "SETTLED",
        rows.value("SELECT end_kind FROM attempts WHERE attempt_id = ?", attempt.getAttemptId()));
    assertEquals(
        "COMPLETED",
        rows.value(
            "SELECT outcome FROM receipts WHERE submission_id = ?", attempt.getSubmissionId()));
  }

  /** B015: the answer is lost, the call is repeated. */
  @Test
  void same_again_by_the_same_attempt_is_applied_false() {
    AttemptRef attempt = calls.claimed();
    Submission first = calls.stub().settleSubmission(completed(attempt, "42")).getSubmission();
    SettleSubmissionResponse repeat = calls.stub().settleSubmission(completed(attempt, "42"));
    assertFalse(repeat.getApplied());
    assertEquals(first, repeat.getSubmission());
  }

  @Test
  void same_again_with_other_entries_is_refused_and_with_the_same_or_none_it_is_a_repeat() {
    AttemptRef attempt = calls.claimed();
    SettleSubmissionRequest.Builder request = completed(attempt, "42").toBuilder();
    String first = fresh("entry");
    calls.stub().settleSubmission(request.addEntries(entry(first, "bye")).build());
    assertFalse(calls.stub().settleSubmission(request.build()).getApplied());
    assertFalse(calls.stub().settleSubmission(completed(attempt, "42")).getApplied());
    for (SettleSubmissionRequest other :
        List.of(
            request.clone().addEntries(entry(fresh("entry"), "more")).build(),
            request.clone().clearEntries().addEntries(entry(first, "other")).build())) {
      Refused.from(() -> calls.stub().settleSubmission(other))
          .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ALREADY_SETTLED);
    }
  }

  @Test
  void first_outcome_wins_and_stays() {
    AttemptRef attempt = calls.claimed();
    Submission first = calls.stub().settleSubmission(completed(attempt, "42")).getSubmission();
    AttemptRef stranger = attempt(attempt.getSubmissionId(), fresh("attempt"));
    for (SettleSubmissionRequest other :
        List.of(
            completed(attempt, "43"),
            completed(stranger, "42"),
            SettleSubmissionRequest.newBuilder()
                .setAttempt(attempt)
                .setSettlement(Settlement.newBuilder().setOutcome(Outcome.OUTCOME_FAILED))
                .build())) {
      Refused.from(() -> calls.stub().settleSubmission(other))
          .mustBe(
              Status.Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_ALREADY_SETTLED,
              "submission_id",
              attempt.getSubmissionId(),
              "outcome",
              "COMPLETED");
    }
    assertEquals(first, calls.submission(attempt.getSubmissionId()));
  }

  @Test
  void attempt_that_does_not_hold_the_submission_is_refused_and_changes_nothing() {
    AttemptRef holder = calls.claimed();
    AttemptRef stranger = attempt(holder.getSubmissionId(), fresh("attempt"));
    Refused.from(() -> calls.settle(stranger, Outcome.OUTCOME_FAILED))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "current_attempt_id",
            holder.getAttemptId());
    AttemptRef early = attempt(calls.admitted(), fresh("attempt"));
    Refused refused = Refused.from(() -> calls.settle(early, Outcome.OUTCOME_FAILED));
    refused.mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
    assertFalse(refused.facts().containsKey("current_attempt_id"), "nobody holds it");
    assertEquals(
        SubmissionStatus.SUBMISSION_STATUS_QUEUED,
        calls.submission(early.getSubmissionId()).getStatus());
  }

  @Test
  void failure_is_told_with_failed_and_refused_with_completed() {
    Failure failure = Failure.newBuilder().setCode("model_down").setMessage("no answer").build();
    AttemptRef attempt = calls.claimed();
    SettleSubmissionRequest.Builder request =
        SettleSubmissionRequest.newBuilder()
            .setAttempt(attempt)
            .setSettlement(
                Settlement.newBuilder().setOutcome(Outcome.OUTCOME_COMPLETED).setFailure(failure));
    Refused.from(() -> calls.stub().settleSubmission(request.build()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "settlement.failure");
    request.getSettlementBuilder().setOutcome(Outcome.OUTCOME_FAILED);
    assertEquals(
        failure,
        calls
            .stub()
            .settleSubmission(request.build())
            .getSubmission()
            .getSettlement()
            .getFailure());
  }

  @Test
  void outcome_must_be_said() {
    AttemptRef attempt = calls.claimed();
    Refused.from(() -> calls.settle(attempt, Outcome.OUTCOME_UNSPECIFIED))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "settlement.outcome");
  }

  @Test
  void entries_and_settlement_are_one_transaction() {
    AttemptRef attempt = calls.claimed();
    String session = calls.submission(attempt.getSubmissionId()).getSessionKey();
    SettleSubmissionRequest request =
        completed(attempt, "42").toBuilder()
            .addEntries(entry("e1", "the answer"))
            .setExpectedLeafId("somewhere-else")
            .build();
    Refused.from(() -> calls.stub().settleSubmission(request))
        .mustBe(
            Status.Code.ABORTED,
            ErrorReason.ERROR_REASON_LEAF_MOVED,
            "expected_leaf_id",
            "somewhere-else",
            "leaf_id",
            "");
    assertEquals(
        SubmissionStatus.SUBMISSION_STATUS_RUNNING,
        calls.submission(attempt.getSubmissionId()).getStatus());
    calls.stub().settleSubmission(request.toBuilder().setExpectedLeafId("").build());
    assertEquals("e1", rows.value("SELECT leaf_id FROM sessions WHERE session_key = ?", session));
    assertEquals(
        attempt.getSubmissionId(),
        rows.value("SELECT submission_id FROM entries WHERE session_key = ?", session));
    assertFalse(
        calls
            .stub()
            .settleSubmission(request.toBuilder().setExpectedLeafId("").build())
            .getApplied());
  }

  @Test
  void large_result_is_left_out_of_answers() {
    AttemptRef attempt = calls.claimed();
    Payload large =
        Payload.newBuilder().setData(ByteString.copyFrom(new byte[(1 << 20) + 1])).build();
    SettlementView settlement =
        calls
            .stub()
            .settleSubmission(
                SettleSubmissionRequest.newBuilder()
                    .setAttempt(attempt)
                    .setSettlement(
                        Settlement.newBuilder()
                            .setOutcome(Outcome.OUTCOME_COMPLETED)
                            .setResult(large))
                    .build())
            .getSubmission()
            .getSettlement();
    assertTrue(settlement.getResult().getOmitted());
    assertEquals((1 << 20) + 1, settlement.getResult().getSizeBytes());
  }

  @Test
  void next_submission_of_the_session_may_run() {
    String session = fresh("session");
    String first = fresh("sub");
    String second = fresh("sub");
    calls.admit(session, first);
    calls.admit(session, second);
    calls.settle(calls.claimed(first), Outcome.OUTCOME_ABORTED);
    assertEquals(
        second,
        rows.value(
            "SELECT string_agg(submission_id, ',') FROM session_queue WHERE session_key = ?",
            session));
    calls.claimed(second);
  }

  @Test
  void of_many_outcomes_at_once_one_wins() throws Exception {
    AttemptRef attempt = calls.claimed();
    ExecutorService clients = Executors.newFixedThreadPool(12);
    Map<String, Integer> seen = new TreeMap<>();
    try {
      Callable<String> fail = () -> outcomeOf(attempt, Outcome.OUTCOME_FAILED);
      Callable<String> abort = () -> outcomeOf(attempt, Outcome.OUTCOME_ABORTED);
      for (var answer :
          clients.invokeAll(List.of(fail, abort, fail, abort, fail, abort, fail, abort))) {
        seen.merge(answer.get(), 1, Integer::sum);
      }
    } finally {
      clients.shutdownNow();
    }
    // The winner once, its three repeats, and four that came with the other outcome.
    assertEquals(Map.of("applied", 1, "repeat", 3, "refused", 4), seen);
  }

  private String outcomeOf(AttemptRef attempt, Outcome outcome) {
    try {
      return calls.settle(attempt, outcome).getApplied() ? "applied" : "repeat";
    } catch (io.grpc.StatusRuntimeException e) {
      assertEquals(ErrorReason.ERROR_REASON_ALREADY_SETTLED, Refused.of(e).reason());
      return "refused";
    }
  }
}

package io.agentjournal.submission;

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
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ListAttemptMarkersRequest;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.RequestRecoveryRequest;
import io.agentjournal.v1.Submission;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class RequestRecoveryTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);

  private List<String> request(RequestRecoveryRequest.Builder request) {
    return calls.stub().requestRecovery(request.build()).getSubmissionIdsList();
  }

  private static RequestRecoveryRequest.Builder by(AttemptRef attempt) {
    return RequestRecoveryRequest.newBuilder().setAttempt(attempt).setReason("shutdown");
  }

  private static RequestRecoveryRequest.Builder of(String submissionId) {
    return RequestRecoveryRequest.newBuilder().setSubmissionId(submissionId).setReason("hangs");
  }

  @Test
  void attempt_hands_itself_over_without_waiting_for_the_lease_and_at_no_cost() {
    AttemptRef first = calls.claimed();
    assertEquals(List.of(first.getSubmissionId()), request(by(first)));
    Submission asked = calls.submission(first.getSubmissionId());
    assertTrue(asked.hasRecoveryRequestedAt());
    assertEquals("shutdown", asked.getRecoveryReason());
    AttemptRef second = calls.claimed(first.getSubmissionId());
    Submission taken = calls.submission(first.getSubmissionId());
    assertEquals(second.getAttemptId(), taken.getAttemptId());
    assertEquals(1, taken.getAttemptCount());
    assertFalse(taken.hasRecoveryRequestedAt());
    var marker =
        calls
            .stub()
            .listAttemptMarkers(
                ListAttemptMarkersRequest.newBuilder()
                    .setSubmissionId(first.getSubmissionId())
                    .build())
            .getMarkers(0);
    assertEquals(io.agentjournal.v1.AttemptEnd.ATTEMPT_END_HANDED_OVER, marker.getEnd());
    assertEquals("shutdown", marker.getReason());
    assertEquals(second.getAttemptId(), marker.getNextAttemptId());
  }

  @Test
  void last_attempt_may_hand_itself_over() {
    String id = fresh("sub");
    calls.stub().admitSubmission(admission(fresh("session"), id).setMaxAttempts(1).build());
    request(by(calls.claimed(id)));
    calls.claimed(id);
    assertEquals(1, calls.submission(id).getAttemptCount());
  }

  @Test
  void by_an_operator_it_counts_as_an_attempt() {
    AttemptRef first = calls.claimed();
    assertEquals(List.of(first.getSubmissionId()), request(of(first.getSubmissionId())));
    calls.claimed(first.getSubmissionId());
    assertEquals(2, calls.submission(first.getSubmissionId()).getAttemptCount());
  }

  @Test
  void nobody_takes_it_over_before_the_delay_is_over() {
    AttemptRef first = calls.claimed();
    request(by(first).setDelay(seconds(60)));
    rows.endLease(first.getSubmissionId());
    Refused.from(() -> calls.claimed(first.getSubmissionId()))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_LEASE_HELD);
    rows.letTimePass(first.getSubmissionId(), Duration.ofSeconds(61));
    calls.claimed(first.getSubmissionId());
  }

  @Test
  void of_two_requests_the_one_that_is_due_first_counts() {
    AttemptRef attempt = calls.claimed();
    request(by(attempt).setDelay(seconds(60)));
    assertEquals(List.of(), request(by(attempt).setDelay(seconds(600)).setReason("later")));
    assertEquals("shutdown", calls.submission(attempt.getSubmissionId()).getRecoveryReason());
    assertEquals(List.of(attempt.getSubmissionId()), request(by(attempt).setReason("sooner")));
    calls.claimed(attempt.getSubmissionId());
  }

  @Test
  void all_of_an_owner_are_stamped_at_no_cost_and_those_of_others_are_not() {
    String owner = fresh("pod");
    AttemptRef mine = attempt(calls.admitted(), fresh("attempt"));
    AttemptRef mineToo = attempt(calls.admitted(), fresh("attempt"));
    calls.claim(mine, owner, seconds(30));
    calls.claim(mineToo, owner, seconds(30));
    AttemptRef other = calls.claimed();
    List<String> stamped = request(RequestRecoveryRequest.newBuilder().setOwner(owner));
    assertEquals(Set.of(mine.getSubmissionId(), mineToo.getSubmissionId()), Set.copyOf(stamped));
    assertFalse(calls.submission(other.getSubmissionId()).hasRecoveryRequestedAt());
    calls.claimed(mine.getSubmissionId());
    assertEquals(1, calls.submission(mine.getSubmissionId()).getAttemptCount());
    assertEquals(List.of(), request(RequestRecoveryRequest.newBuilder().setOwner(fresh("pod"))));
  }

  @Test
  void stale_attempt_is_refused_and_stamps_nothing() {
    AttemptRef first = calls.claimed();
    rows.endLease(first.getSubmissionId());
    AttemptRef second = calls.claimed(first.getSubmissionId());
    Refused.from(() -> request(by(first)))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "current_attempt_id",
            second.getAttemptId());
    assertFalse(calls.submission(first.getSubmissionId()).hasRecoveryRequestedAt());
  }

  @Test
  void one_that_does_not_run_is_refused() {
    String queued = calls.admitted();
    Refused.from(() -> request(of(queued)))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "QUEUED",
            "wanted",
            "RUNNING");
    AttemptRef settled = calls.claimed();
    calls.settle(settled, Outcome.OUTCOME_FAILED);
    Refused.from(() -> request(of(settled.getSubmissionId())))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ALREADY_SETTLED);
    Refused.from(() -> request(of("nobody-knows-it")))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
    Refused.from(() -> request(RequestRecoveryRequest.newBuilder()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "which");
  }
}

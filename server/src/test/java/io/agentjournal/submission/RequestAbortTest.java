package io.agentjournal.submission;

import static io.agentjournal.submission.SubmissionCaller.fresh;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.RequestAbortRequest;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionStatus;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class RequestAbortTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());

  private List<String> abort(String submissionId, String reason) {
    return calls
        .stub()
        .requestAbort(
            RequestAbortRequest.newBuilder()
                .setSubmissionId(submissionId)
                .setReason(reason)
                .build())
        .getSubmissionIdsList();
  }

  private List<String> abortSession(String sessionKey) {
    return calls
        .stub()
        .requestAbort(
            RequestAbortRequest.newBuilder().setSessionKey(sessionKey).setReason("user").build())
        .getSubmissionIdsList();
  }

  @Test
  void queued_submission_is_settled_aborted_at_once() {
    String id = calls.admitted();
    assertEquals(List.of(id), abort(id, "user"));
    Submission submission = calls.submission(id);
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_SETTLED, submission.getStatus());
    assertEquals(Outcome.OUTCOME_ABORTED, submission.getSettlement().getOutcome());
    assertEquals("abort_requested", submission.getSettlement().getFailure().getCode());
    assertEquals("user", submission.getSettlement().getFailure().getMessage());
    assertEquals("", submission.getSettlement().getSettledByAttemptId());
  }

  @Test
  void running_submission_is_stamped_and_goes_on() {
    AttemptRef attempt = calls.claimed();
    assertEquals(List.of(attempt.getSubmissionId()), abort(attempt.getSubmissionId(), "user"));
    Submission submission = calls.submission(attempt.getSubmissionId());
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_RUNNING, submission.getStatus());
    assertTrue(submission.hasAbortRequestedAt());
    assertEquals("user", submission.getAbortReason());
    assertTrue(calls.settle(attempt, Outcome.OUTCOME_ABORTED).getApplied());
  }

  @Test
  void first_stamp_wins() {
    AttemptRef attempt = calls.claimed();
    abort(attempt.getSubmissionId(), "first");
    assertEquals(List.of(), abort(attempt.getSubmissionId(), "second"));
    assertEquals("first", calls.submission(attempt.getSubmissionId()).getAbortReason());
  }

  @Test
  void settled_submission_stays_as_it_is() {
    AttemptRef attempt = calls.claimed();
    calls.settle(attempt, Outcome.OUTCOME_COMPLETED);
    assertEquals(List.of(), abort(attempt.getSubmissionId(), "late"));
    Submission submission = calls.submission(attempt.getSubmissionId());
    assertEquals(Outcome.OUTCOME_COMPLETED, submission.getSettlement().getOutcome());
    assertFalse(submission.hasAbortRequestedAt());
  }

  @Test
  void session_is_aborted_whole_and_none_of_it_begins_to_run() {
    String session = fresh("session");
    List<String> ids = new ArrayList<>();
    // More than one transaction takes.
    for (int i = 0; i < 120; i++) {
      String id = fresh("sub");
      ids.add(id);
      calls.admit(session, id);
    }
    AttemptRef running = calls.claimed(ids.get(0));
    assertEquals(new TreeSet<>(ids), new TreeSet<>(abortSession(session)));
    assertEquals(
        SubmissionStatus.SUBMISSION_STATUS_RUNNING, calls.submission(ids.get(0)).getStatus());
    for (String id : ids.subList(1, ids.size())) {
      assertEquals(Outcome.OUTCOME_ABORTED, calls.submission(id).getSettlement().getOutcome());
    }
    assertEquals(Set.of(), Set.copyOf(abortSession(session)));
    calls.settle(running, Outcome.OUTCOME_ABORTED);
    String later = fresh("sub");
    calls.admit(session, later);
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_QUEUED, calls.submission(later).getStatus());
  }

  @Test
  void unknown_ones_are_not_found() {
    Refused.from(() -> abort("nobody-knows-it", ""))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
    Refused.from(() -> abortSession("nobody-knows-it"))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_NOT_FOUND);
    Refused.from(() -> calls.stub().requestAbort(RequestAbortRequest.getDefaultInstance()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "which");
  }
}

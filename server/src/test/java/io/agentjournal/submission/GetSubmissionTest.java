package io.agentjournal.submission;

import static io.agentjournal.submission.SubmissionCaller.fresh;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.GetSubmissionResponse;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionStatus;
import io.grpc.Status;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class GetSubmissionTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);

  @Test
  void submission_without_a_turn_has_no_journal_and_no_stream() {
    GetSubmissionResponse found = calls.get(calls.admitted());
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_QUEUED, found.getSubmission().getStatus());
    assertFalse(found.hasJournal());
    assertFalse(found.hasStream());
  }

  @Test
  void what_is_left_of_an_expired_lease_is_negative() {
    AttemptRef attempt = calls.claimed();
    rows.letTimePass(attempt.getSubmissionId(), Duration.ofSeconds(35));
    Submission submission = calls.submission(attempt.getSubmissionId());
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_RUNNING, submission.getStatus());
    assertTrue(submission.getLease().getRemaining().getSeconds() <= -5);
  }

  @Test
  void unknown_submission_is_not_found() {
    String id = fresh("nobody");
    Refused.from(() -> calls.get(id))
        .mustBe(
            Status.Code.NOT_FOUND,
            ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND,
            "submission_id",
            id);
  }
}

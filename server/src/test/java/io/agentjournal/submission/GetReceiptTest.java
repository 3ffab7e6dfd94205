package io.agentjournal.submission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.GetReceiptRequest;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Receipt;
import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class GetReceiptTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());

  private Receipt receipt(String submissionId) {
    return calls
        .stub()
        .getReceipt(GetReceiptRequest.newBuilder().setSubmissionId(submissionId).build())
        .getReceipt();
  }

  @Test
  void receipt_tells_the_admission_and_later_the_outcome() {
    AttemptRef attempt = calls.claimed();
    Receipt before = receipt(attempt.getSubmissionId());
    assertTrue(before.hasAdmittedAt());
    assertFalse(before.hasSettledAt());
    calls.settle(attempt, Outcome.OUTCOME_FAILED);
    Receipt after = receipt(attempt.getSubmissionId());
    assertEquals(Outcome.OUTCOME_FAILED, after.getOutcome());
    assertTrue(after.hasSettledAt());
    assertEquals(before.getAdmissionSha256(), after.getAdmissionSha256());
  }

  @Test
  void unknown_submission_has_none() {
    Refused.from(() -> receipt("nobody-knows-it"))
        .mustBe(
            Status.Code.NOT_FOUND,
            ErrorReason.ERROR_REASON_RECEIPT_NOT_FOUND,
            "submission_id",
            "nobody-knows-it");
  }
}

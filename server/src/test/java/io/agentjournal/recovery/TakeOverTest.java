package io.agentjournal.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.TakeOverRequest;
import io.agentjournal.v1.TakeOverResponse;
import io.grpc.Status.Code;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class TakeOverTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static TakeOverRequest.Builder request(Trial trial, String attempt) {
    return TakeOverRequest.newBuilder()
        .setSubmissionId(trial.id)
        .setAttemptId(attempt)
        .setLease(LeaseRequest.newBuilder().setOwner("owner-" + attempt));
  }

  private static TakeOverResponse takeOver(Trial trial, String attempt) {
    return trial.recoveries.takeOver(request(trial, attempt).build());
  }

  @Test
  void b103_expired_lease_is_taken_over_with_slot_stream_and_plan() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.put("a", key, 0, "abc");
    trial.stored.expireLease();
    TakeOverResponse answer = takeOver(trial, "b");
    assertTrue(answer.getApplied());
    assertEquals("b", answer.getSubmission().getAttemptId());
    assertEquals("owner-b", answer.getSubmission().getLease().getOwner());
    assertEquals(2, answer.getSubmission().getAttemptCount());
    assertEquals("b", answer.getJournal().getAttemptId());
    assertEquals(RecoveryAction.RECOVERY_ACTION_CONTINUE_STREAM, answer.getPlan().getAction());
    assertEquals("OPEN 3 b", trial.stored.stream(key));
    assertEquals(List.of("a owner-a EXPIRED b", "b owner-b"), trial.stored.attempts());
  }

  @Test
  void b097_living_lease_is_held_and_its_holder_is_told() {
    Trial trial = Trial.started(JOURNAL);
    List<String> before = trial.stored.all();
    Refused refused = Refused.from(() -> takeOver(trial, "b"));
    refused.mustBe(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_LEASE_HELD,
        "submission_id",
        trial.id,
        "owner",
        "owner-a",
        "attempt_id",
        "a");
    refused.fact("expires_at");
    assertTrue(Long.parseLong(refused.fact("remaining_ms")) > 0);
    assertEquals(before, trial.stored.all());
  }

  @Test
  void who_comes_under_a_living_lease_is_told_so_without_waiting_for_the_submission()
      throws SQLException {
    Trial trial = Trial.started(JOURNAL);
    try (Connection connection = TestPostgres.connect(JOURNAL.database());
        PreparedStatement lock =
            connection.prepareStatement(
                "SELECT 1 FROM submissions WHERE submission_id = ? FOR UPDATE")) {
      connection.setAutoCommit(false);
      lock.setString(1, trial.id);
      lock.execute();
      // Whoever waits for the lock gives up after its timeout, as UNAVAILABLE.
      Refused.from(() -> takeOver(trial, "b"))
          .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_LEASE_HELD);
      connection.rollback();
    }
  }

  @Test
  void a_replacement_that_names_no_reason_either_is_a_repeat() {
    Trial trial = Trial.started(JOURNAL);
    trial.stored.expireLease();
    takeOver(trial, "b");
    List<String> before = trial.stored.all();
    assertFalse(
        trial.turns.replaceTurnJournalAttempt(trial.replacing("a", "b").build()).getApplied());
    assertEquals(before, trial.stored.all());
  }

  @Test
  void force_takes_over_under_a_living_lease_and_keeps_the_reason() {
    Trial trial = Trial.started(JOURNAL);
    assertTrue(
        trial
            .recoveries
            .takeOver(request(trial, "b").setForce(true).setReason("stuck").build())
            .getApplied());
    assertEquals(List.of("a owner-a REPLACED stuck b", "b owner-b"), trial.stored.attempts());
  }

  @Test
  void what_attempt_and_owner_hold_already_is_a_repeat() {
    Trial trial = Trial.expired(JOURNAL, "default");
    takeOver(trial, "b");
    List<String> before = trial.stored.all();
    TakeOverResponse again = takeOver(trial, "b");
    assertFalse(again.getApplied());
    assertEquals("b", again.getSubmission().getAttemptId());
    assertEquals(before, trial.stored.all());
    Refused.from(
            () ->
                trial.recoveries.takeOver(
                    request(trial, "b")
                        .setLease(LeaseRequest.newBuilder().setOwner("another"))
                        .build()))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ATTEMPT_USED);
  }

  @Test
  void attempt_id_that_was_used_revives_no_zombie() {
    Trial trial = Trial.expired(JOURNAL, "default");
    takeOver(trial, "b");
    trial.stored.expireLease();
    List<String> before = trial.stored.all();
    Refused.from(() -> takeOver(trial, "a"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ATTEMPT_USED,
            "submission_id",
            trial.id,
            "attempt_id",
            "a");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void due_recovery_request_of_the_attempts_own_is_taken_over_at_no_cost() {
    Trial trial = Trial.started(JOURNAL);
    trial.stored.update(
        """
        UPDATE submissions
           SET recovery_requested_at = now(), recovery_not_before = now(), recovery_reason = 'shutdown',
               recovery_is_counted = false
         WHERE submission_id = ?
        """);
    TakeOverResponse answer = takeOver(trial, "b");
    assertEquals(1, answer.getSubmission().getAttemptCount());
    assertFalse(answer.getSubmission().hasRecoveryRequestedAt());
    assertEquals(List.of("a owner-a HANDED_OVER shutdown b", "b owner-b"), trial.stored.attempts());
  }

  @Test
  void delayed_recovery_request_holds_everybody_off_also_past_the_end_of_the_lease() {
    Trial trial = Trial.expired(JOURNAL, "default");
    trial.stored.update(
        """
        UPDATE submissions
           SET recovery_requested_at = now(), recovery_not_before = now() + interval '1 hour',
               recovery_reason = 'provider is down', recovery_is_counted = false
         WHERE submission_id = ?
        """);
    Refused.from(() -> takeOver(trial, "b"))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_LEASE_HELD);
  }

  @Test
  void submission_that_does_not_run_is_not_taken_over() {
    Trial queued = Trial.queued(JOURNAL);
    Refused.from(() -> queued.recoveries.takeOver(request(queued, "b").setForce(true).build()))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "QUEUED",
            "wanted",
            "RUNNING");
    Trial settled = Trial.committed(JOURNAL);
    settled.settle("a", Trial.completed("done"));
    Refused.from(() -> takeOver(settled, "b"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ALREADY_SETTLED,
            "outcome",
            "COMPLETED");
  }

  @Test
  void spent_budget_is_refused() {
    Trial trial = Trial.expired(JOURNAL, "default");
    trial.stored.update("UPDATE submissions SET max_attempts = 1 WHERE submission_id = ?");
    Refused.from(() -> takeOver(trial, "b"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_BUDGET_SPENT,
            "attempts",
            "1",
            "max_attempts",
            "1");
  }

  @Test
  void owner_must_be_named() {
    Trial trial = Trial.expired(JOURNAL, "default");
    Refused.from(() -> trial.recoveries.takeOver(request(trial, "b").clearLease().build()))
        .mustBe(
            Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "lease.owner");
  }
}

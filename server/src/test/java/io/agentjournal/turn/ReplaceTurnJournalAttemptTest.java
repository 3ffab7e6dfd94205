package io.agentjournal.turn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.ReplaceTurnJournalAttemptRequest;
import io.agentjournal.v1.ReplaceTurnJournalAttemptResponse;
import io.agentjournal.v1.StreamPlan;
import io.agentjournal.v1.TurnPhase;
import io.grpc.Status.Code;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class ReplaceTurnJournalAttemptTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  @Test
  void submission_slot_and_open_stream_get_the_next_attempt_and_the_plan_says_where_to_go_on() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.put("a", key, 0, "abc");
    ReplaceTurnJournalAttemptResponse answer = trial.replace("a", "b");
    assertTrue(answer.getApplied());
    assertEquals("b", answer.getSubmission().getAttemptId());
    assertEquals(2, answer.getSubmission().getAttemptCount());
    assertEquals("b", answer.getJournal().getAttemptId());
    assertEquals(TurnPhase.TURN_PHASE_PROVIDER_STARTED, answer.getJournal().getPhase());
    assertEquals(1, answer.getJournal().getRevision());
    assertEquals(RecoveryAction.RECOVERY_ACTION_CONTINUE_STREAM, answer.getPlan().getAction());
    assertEquals(
        StreamPlan.newBuilder().setStreamKey(key).setNextIndex(3).setOpen(true).build(),
        answer.getPlan().getStream());
    assertEquals("OPEN 3 b", trial.stored.stream(key));
    assertEquals(4, trial.put("b", key, 3, "d").getNextIndex());
    Refused.from(() -> trial.put("a", key, 4, "e"))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
    assertEquals(List.of("a owner-a REPLACED  b", "b owner-a"), trial.stored.attempts());
  }

  @Test
  void complete_stream_is_replayed_without_asking_the_model() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.put("a", key, 0, "abc");
    trial.consume("a", "t1", key);
    assertEquals(
        RecoveryAction.RECOVERY_ACTION_REPLAY_STREAM,
        trial.replace("a", "b").getPlan().getAction());
    assertEquals("COMPLETE 3 a", trial.stored.stream(key));
  }

  @Test
  void committed_slot_stays_as_it_is() {
    Trial trial = Trial.committed(JOURNAL);
    ReplaceTurnJournalAttemptResponse answer = trial.replace("a", "b");
    assertEquals("a", answer.getJournal().getAttemptId());
    assertEquals(TurnPhase.TURN_PHASE_COMMITTED, answer.getJournal().getPhase());
    assertEquals(RecoveryAction.RECOVERY_ACTION_BEGIN_TURN, answer.getPlan().getAction());
    assertEquals("b", trial.begun("b", "t2").getJournal().getAttemptId());
  }

  @Test
  void without_a_slot_only_the_submission_changes_hands() {
    Trial trial = Trial.running(JOURNAL);
    ReplaceTurnJournalAttemptResponse answer = trial.replace("a", "b");
    assertFalse(answer.hasJournal());
    assertEquals(RecoveryAction.RECOVERY_ACTION_APPLY_INPUT, answer.getPlan().getAction());
  }

  @Test
  void lease_is_the_asked_one_or_else_as_before_and_its_rest_is_told() {
    Trial trial = Trial.running(JOURNAL);
    ReplaceTurnJournalAttemptRequest asked =
        trial
            .replacing("a", "b")
            .setLease(
                LeaseRequest.newBuilder()
                    .setOwner("next-owner")
                    .setDuration(Duration.newBuilder().setSeconds(600)))
            .build();
    ReplaceTurnJournalAttemptResponse first = trial.turns.replaceTurnJournalAttempt(asked);
    assertEquals("next-owner", first.getSubmission().getLease().getOwner());
    long seconds = first.getSubmission().getLease().getRemaining().getSeconds();
    assertTrue(seconds > 580 && seconds < 600, seconds + " s");
    ReplaceTurnJournalAttemptResponse second = trial.replace("b", "c");
    assertEquals("next-owner", second.getSubmission().getLease().getOwner());
    assertTrue(second.getSubmission().getLease().getRemaining().getSeconds() > 580);
  }

  @Test
  void repeat_is_not_applied_while_the_next_attempt_holds_the_submission() {
    Trial trial = Trial.started(JOURNAL);
    ReplaceTurnJournalAttemptRequest request = trial.replacing("a", "b").setReason("stuck").build();
    trial.turns.replaceTurnJournalAttempt(request);
    List<String> before = trial.stored.all();
    ReplaceTurnJournalAttemptResponse again = trial.turns.replaceTurnJournalAttempt(request);
    assertFalse(again.getApplied());
    assertEquals("b", again.getSubmission().getAttemptId());
    assertEquals(before, trial.stored.all());
    Refused.from(
            () ->
                trial.turns.replaceTurnJournalAttempt(
                    request.toBuilder().setReason("other").build()))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
    trial.replace("b", "c");
    Refused.from(() -> trial.turns.replaceTurnJournalAttempt(request))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "current_attempt_id",
            "c");
  }

  @Test
  void attempt_id_used_before_revives_no_zombie() {
    Trial trial = Trial.running(JOURNAL);
    trial.replace("a", "b");
    List<String> before = trial.stored.all();
    for (String used : List.of("a", "b")) {
      Refused.from(() -> trial.replace("b", used))
          .mustBe(
              Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_ATTEMPT_USED,
              "submission_id",
              trial.id,
              "attempt_id",
              used);
    }
    assertEquals(before, trial.stored.all());
  }

  @Test
  void attempt_that_does_not_hold_the_submission_is_not_replaced() {
    Trial trial = Trial.running(JOURNAL);
    Refused.from(() -> trial.replace("x", "b"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "current_attempt_id",
            "a");
    Trial queued = Trial.queued(JOURNAL);
    Refused.from(() -> queued.replace("a", "b"))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
  }

  @Test
  void b097_living_lease_stands_in_the_way_when_it_is_asked_for() {
    Trial trial = Trial.running(JOURNAL);
    ReplaceTurnJournalAttemptRequest request =
        trial.replacing("a", "b").setRequireExpiredLease(true).build();
    List<String> before = trial.stored.all();
    Refused refused = Refused.from(() -> trial.turns.replaceTurnJournalAttempt(request));
    refused.mustBe(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_LEASE_HELD,
        "owner",
        "owner-a",
        "attempt_id",
        "a");
    assertTrue(Long.parseLong(refused.fact("remaining_ms")) > 20_000);
    assertEquals(before, trial.stored.all());

    trial.stored.expireLease();
    assertTrue(trial.turns.replaceTurnJournalAttempt(request).getApplied());
    assertEquals(List.of("a owner-a EXPIRED  b", "b owner-a"), trial.stored.attempts());
  }

  @Test
  void requested_recovery_of_the_attempts_own_costs_no_attempt_and_is_cleared() {
    Trial trial = Trial.running(JOURNAL);
    trial.stored.update(
        """
        UPDATE submissions
           SET recovery_requested_at = now(), recovery_not_before = now(), recovery_reason = 'shutdown',
               recovery_is_counted = false
         WHERE submission_id = ?
        """);
    ReplaceTurnJournalAttemptResponse answer =
        trial.turns.replaceTurnJournalAttempt(
            trial.replacing("a", "b").setRequireExpiredLease(true).build());
    assertEquals(1, answer.getSubmission().getAttemptCount());
    assertFalse(answer.getSubmission().hasRecoveryRequestedAt());
    assertEquals(List.of("a owner-a HANDED_OVER  b", "b owner-a"), trial.stored.attempts());
  }

  @Test
  void spent_attempts_are_refused_in_the_same_write() {
    Trial trial = Trial.running(JOURNAL);
    trial.stored.update("UPDATE submissions SET max_attempts = 2 WHERE submission_id = ?");
    trial.replace("a", "b");
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.replace("b", "c"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_BUDGET_SPENT,
            "attempts",
            "2",
            "max_attempts",
            "2");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void spent_time_is_refused() {
    Trial trial = Trial.running(JOURNAL);
    trial.stored.update(
        "UPDATE submissions SET deadline_at = now() - interval '1 second' WHERE submission_id = ?");
    Refused refused = Refused.from(() -> trial.replace("a", "b"));
    refused.mustBe(
        Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_BUDGET_SPENT, "timeout_ms", "3600000");
    refused.fact("deadline");
  }

  @Test
  void settled_submission_is_not_handed_on() {
    Trial trial = Trial.committed(JOURNAL);
    trial.settle("a", Trial.completed("done"));
    Refused.from(() -> trial.replace("a", "b"))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ALREADY_SETTLED);
  }
}

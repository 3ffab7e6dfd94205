package io.agentjournal.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Timestamp;
import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Trial;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.SettlementView;
import io.agentjournal.v1.SubmissionStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two servers that reconcile, on one database. */
final class ReconcilerTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static JournalServer one;
  private static JournalServer other;

  @BeforeAll
  static void start() {
    one = JOURNAL.anotherServer("--reconcile-interval=250ms");
    other = JOURNAL.anotherServer("--reconcile-interval=250ms");
  }

  @AfterAll
  static void stop() {
    one.close();
    other.close();
  }

  private static SettlementView settled(Trial trial) {
    Wait.until(
        "settled",
        () -> trial.submission().getStatus() == SubmissionStatus.SUBMISSION_STATUS_SETTLED);
    SettlementView settlement = trial.submission().getSettlement();
    assertEquals("", settlement.getSettledByAttemptId());
    return settlement;
  }

  private static void spendAttempts(Trial trial) {
    trial.stored.update("UPDATE submissions SET max_attempts = 1 WHERE submission_id = ?");
  }

  @Test
  void spent_attempts_are_settled_failed_with_the_calls_of_unknown_outcome() {
    Trial trial = Trial.requested(JOURNAL);
    trial.update("a", "t1", Trial.start("c2"));
    spendAttempts(trial);
    trial.stored.expireLease();
    SettlementView settlement = settled(trial);
    assertEquals(Outcome.OUTCOME_FAILED, settlement.getOutcome());
    assertEquals("budget_spent", settlement.getFailure().getCode());
    assertEquals(List.of("c2"), settlement.getUnresolvedToolCallIdsList());
    assertEquals(List.of("a owner-a SETTLED"), trial.stored.attempts());
  }

  @Test
  void open_stream_of_what_it_settles_fails() {
    Trial trial = Trial.started(JOURNAL);
    trial.put("a", trial.streamKey("t1", "a"), 0, "abc");
    spendAttempts(trial);
    trial.stored.expireLease();
    settled(trial);
    assertEquals("FAILED 3 a settled", trial.stored.stream(trial.streamKey("t1", "a")));
  }

  @Test
  void spent_time_is_settled_failed() {
    Trial trial = Trial.running(JOURNAL);
    trial.stored.update(
        """
        UPDATE submissions
           SET deadline_at = now() - interval '1 second', lease_expires_at = now() - interval '1 second'
         WHERE submission_id = ?
        """);
    assertEquals(Outcome.OUTCOME_FAILED, settled(trial).getOutcome());
  }

  @Test
  void requested_abort_that_nobody_heeds_is_settled_aborted() {
    Trial trial = Trial.running(JOURNAL);
    trial.stored.update(
        """
        UPDATE submissions
           SET abort_requested_at = now(), abort_reason = 'changed my mind',
               lease_expires_at = now() - interval '1 second'
         WHERE submission_id = ?
        """);
    SettlementView settlement = settled(trial);
    assertEquals(Outcome.OUTCOME_ABORTED, settlement.getOutcome());
    assertEquals("aborted", settlement.getFailure().getCode());
    assertEquals("changed my mind", settlement.getFailure().getMessage());
  }

  @Test
  void final_turn_that_is_committed_is_settled_completed() {
    Trial trial = Trial.started(JOURNAL);
    trial.turns.commitTurnJournal(trial.committing("a", "t1").setFinal(true).build());
    trial.stored.expireLease();
    assertEquals(Outcome.OUTCOME_COMPLETED, settled(trial).getOutcome());
  }

  @Test
  void what_was_given_back_and_can_have_no_attempt_does_not_block_its_session() {
    Trial trial = Trial.queued(JOURNAL);
    trial.stored.update(
        """
        UPDATE submissions
           SET started_at = now(), deadline_at = now() + interval '1 hour', attempt_count = max_attempts
         WHERE submission_id = ?
        """);
    assertEquals(Outcome.OUTCOME_FAILED, settled(trial).getOutcome());
  }

  @Test
  void held_and_recoverable_submissions_are_left_alone() {
    Trial held = Trial.running(JOURNAL);
    spendAttempts(held);
    Trial recoverable = Trial.started(JOURNAL);
    recoverable.stored.expireLease();
    Trial other = Trial.running(JOURNAL);
    spendAttempts(other);
    other.stored.expireLease();
    settled(other);
    for (Trial left : List.of(held, recoverable)) {
      assertEquals(SubmissionStatus.SUBMISSION_STATUS_RUNNING, left.submission().getStatus());
    }
  }

  @Test
  void expired_lease_is_found_within_a_second() {
    Trial trial = Trial.running(JOURNAL);
    spendAttempts(trial);
    trial.stored.update(
        "UPDATE submissions SET lease_expires_at = now() + interval '500 milliseconds' WHERE"
            + " submission_id = ?");
    Timestamp expiry = trial.submission().getLease().getExpiresAt();
    Duration delay = Duration.between(instant(expiry), instant(settled(trial).getSettledAt()));
    assertTrue(
        !delay.isNegative() && delay.compareTo(Duration.ofSeconds(1)) < 0,
        "settled after " + delay);
  }

  private static Instant instant(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }
}

package io.agentjournal.turn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.payload.Payload;
import io.agentjournal.submission.Outcome;
import io.agentjournal.submission.Settlement;
import io.agentjournal.submission.SubmissionRows;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.transcript.NewEntries;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AdmitSubmissionResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.ReplaceTurnJournalAttemptResponse;
import io.agentjournal.v1.RequestRecoveryRequest;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionStatus;
import io.agentjournal.v1.TurnJournal;
import io.agentjournal.v1.TurnPhase;
import io.grpc.Status.Code;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pairs of writes at the same time, each in both orders; judged by what is read back. */
final class TurnRacesTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static AttemptId attempt(Trial trial, String id) {
    return new AttemptId(new SubmissionId(Namespace.DEFAULT, trial.id), id);
  }

  private static void begin(Race race, Trial trial, String turn) throws SQLException {
    BeginTurn call = new BeginTurn(attempt(trial, "a"), turn, "op", null, null, null);
    race.first(tx -> race.turns().begins().begin(tx, call));
  }

  private static void replace(Race race, Trial trial, String next) throws SQLException {
    ReplaceAttempt call = new ReplaceAttempt(attempt(trial, "a"), next, null, false, "");
    race.first(tx -> race.turns().replaces().replace(tx, call));
  }

  private static void commit(Race race, Trial trial) throws SQLException {
    NewEntries none = new NewEntries(List.of(), null, trial.id, "t1");
    CommitTurn call = new CommitTurn(attempt(trial, "a"), "t1", none, null, null, false, null);
    race.first(tx -> race.turns().commits().commit(tx, call));
  }

  private static void consume(Race race, Trial trial) throws SQLException {
    StreamKey key = new StreamKey(Namespace.DEFAULT, trial.streamKey("t1", "a"));
    ConsumeStream call = new ConsumeStream(attempt(trial, "a"), "t1", key, null);
    race.first(tx -> race.turns().consumes().consume(tx, call));
  }

  private static void settle(Race race, Trial trial) throws SQLException {
    Settlement settlement = new Settlement(Outcome.FAILED, Payload.NONE, null, null);
    NewEntries none = new NewEntries(List.of(), null, trial.id, null);
    race.first(
        tx -> race.submissions().settlements().settle(tx, attempt(trial, "a"), settlement, none));
  }

  private static void isStale(Refused refused) {
    refused.mustBe(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_STALE_ATTEMPT,
        "attempt_id",
        "a",
        "current_attempt_id",
        "b");
  }

  @Test
  void replaced_attempts_begin_that_waited_for_the_replacement_does_not_take_the_slot_back()
      throws Exception {
    Trial trial = Trial.started(JOURNAL);
    try (Race race = new Race(trial)) {
      replace(race, trial, "b");
      isStale(Refused.from(() -> race.second(() -> trial.begun("a", "t2"))));
    }
    TurnJournal slot = trial.journal();
    assertEquals("t1", slot.getTurnId());
    assertEquals("b", slot.getAttemptId());
    assertEquals("OPEN 0 b", trial.stored.stream(trial.streamKey("t1", "a")));
  }

  @Test
  void replacement_that_waited_for_a_begin_takes_the_new_turn() throws Exception {
    Trial trial = Trial.started(JOURNAL);
    try (Race race = new Race(trial)) {
      begin(race, trial, "t2");
      ReplaceTurnJournalAttemptResponse answer = race.second(() -> trial.replace("a", "b"));
      assertEquals("t2", answer.getJournal().getTurnId());
      assertEquals("b", answer.getJournal().getAttemptId());
      assertEquals(RecoveryAction.RECOVERY_ACTION_CALL_MODEL, answer.getPlan().getAction());
    }
    assertEquals("SUPERSEDED 0 a", trial.stored.stream(trial.streamKey("t1", "a")));
  }

  @Test
  void begin_that_waited_for_a_settlement_is_refused() throws Exception {
    Trial trial = Trial.started(JOURNAL);
    try (Race race = new Race(trial)) {
      settle(race, trial);
      Refused.from(() -> race.second(() -> trial.begun("a", "t2")))
          .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ALREADY_SETTLED);
    }
    assertEquals("t1", trial.journal().getTurnId());
    assertEquals("FAILED 0 a settled", trial.stored.stream(trial.streamKey("t1", "a")));
  }

  @Test
  void repeated_admission_beside_a_settlement_tells_all_of_it() throws Exception {
    Trial trial = Trial.started(JOURNAL);
    try (Race race = new Race(trial)) {
      settle(race, trial);
      AdmitSubmissionRequest again =
          AdmitSubmissionRequest.newBuilder()
              .setSubmissionId(trial.id)
              .setSessionKey(trial.session)
              .build();
      AdmitSubmissionResponse answer = race.second(() -> trial.submissions.admitSubmission(again));
      assertFalse(answer.getApplied());
      Submission submission = answer.getSubmission();
      assertEquals(SubmissionStatus.SUBMISSION_STATUS_SETTLED, submission.getStatus());
      assertEquals(submission.getSettlement().getOutcome(), answer.getReceipt().getOutcome());
      assertEquals(submission.getSettlement().getSettledAt(), answer.getReceipt().getSettledAt());
    }
  }

  @Test
  void settlement_that_waited_for_a_begin_does_not_complete_over_the_uncommitted_slot()
      throws Exception {
    Trial trial = Trial.running(JOURNAL);
    try (Race race = new Race(trial)) {
      begin(race, trial, "t1");
      Refused.from(() -> race.second(() -> trial.settle("a", Trial.completed("done"))))
          .mustBe(
              Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
              "phase",
              "before_provider",
              "wanted",
              "committed");
    }
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_RUNNING, trial.submission().getStatus());
  }

  @Test
  void commit_that_waited_for_a_replacement_is_refused() throws Exception {
    Trial trial = Trial.started(JOURNAL);
    try (Race race = new Race(trial)) {
      replace(race, trial, "b");
      isStale(Refused.from(() -> race.second(() -> trial.commit("a", "t1"))));
    }
    assertEquals(TurnPhase.TURN_PHASE_PROVIDER_STARTED, trial.journal().getPhase());
  }

  @Test
  void replacement_that_waited_for_a_commit_finds_the_slot_committed() throws Exception {
    Trial trial = Trial.started(JOURNAL);
    try (Race race = new Race(trial)) {
      commit(race, trial);
      ReplaceTurnJournalAttemptResponse answer = race.second(() -> trial.replace("a", "b"));
      assertEquals(TurnPhase.TURN_PHASE_COMMITTED, answer.getJournal().getPhase());
      assertEquals("a", answer.getJournal().getAttemptId());
      assertEquals(RecoveryAction.RECOVERY_ACTION_BEGIN_TURN, answer.getPlan().getAction());
    }
  }

  @Test
  void stamp_that_waited_for_a_replacement_is_refused() throws Exception {
    Trial trial = Trial.started(JOURNAL);
    try (Race race = new Race(trial)) {
      replace(race, trial, "b");
      String key = trial.streamKey("t1", "a");
      isStale(Refused.from(() -> race.second(() -> trial.consume("a", "t1", key))));
      assertEquals("OPEN 0 b", trial.stored.stream(key));
    }
    assertFalse(trial.journal().hasStreamConsumedAt());
  }

  @Test
  void replacement_that_waited_for_the_stamp_plans_a_replay() throws Exception {
    Trial trial = Trial.started(JOURNAL);
    try (Race race = new Race(trial)) {
      consume(race, trial);
      ReplaceTurnJournalAttemptResponse answer = race.second(() -> trial.replace("a", "b"));
      assertTrue(answer.getJournal().hasStreamConsumedAt());
      assertEquals(RecoveryAction.RECOVERY_ACTION_REPLAY_STREAM, answer.getPlan().getAction());
    }
    assertEquals("COMPLETE 0 a", trial.stored.stream(trial.streamKey("t1", "a")));
  }

  @Test
  void of_two_replacements_one_wins_and_one_attempt_is_counted() throws Exception {
    Trial trial = Trial.started(JOURNAL);
    try (Race race = new Race(trial)) {
      replace(race, trial, "b");
      isStale(Refused.from(() -> race.second(() -> trial.replace("a", "c"))));
    }
    assertEquals("b", trial.submission().getAttemptId());
    assertEquals(2, trial.submission().getAttemptCount());
    assertEquals(List.of("a owner-a REPLACED  b", "b owner-a"), trial.stored.attempts());
  }

  @Test
  void recovery_request_that_waited_for_one_that_began_later_does_not_stamp_again()
      throws Exception {
    Trial trial = Trial.running(JOURNAL);
    SubmissionId id = attempt(trial, "a").submission();
    RequestRecoveryRequest again =
        RequestRecoveryRequest.newBuilder().setAttempt(trial.ref("a")).setReason("second").build();
    try (Race race = new Race(trial)) {
      race.first(tx -> new SubmissionRows().lockForUpdate(tx, id));
      assertEquals(
          List.of(),
          race.second(
                  () -> trial.submissions.requestRecovery(again), tx -> requestRecovery(tx, trial))
              .getSubmissionIdsList());
    }
    assertEquals("first", trial.submission().getRecoveryReason());
  }

  /** As the server does it in a transaction that begins at this moment. */
  private static int requestRecovery(Connection connection, Trial trial) throws SQLException {
    try (PreparedStatement stamp =
        connection.prepareStatement(
            """
            UPDATE submissions
               SET recovery_requested_at = clock_timestamp(), recovery_not_before = clock_timestamp(),
                   recovery_reason = 'first', recovery_is_counted = false
             WHERE submission_id = ?
            """)) {
      stamp.setString(1, trial.id);
      return stamp.executeUpdate();
    }
  }

  @Test
  void zombies_start_of_a_tool_that_waited_for_a_replacement_is_refused() throws Exception {
    Trial trial = Trial.requested(JOURNAL);
    try (Race race = new Race(trial)) {
      replace(race, trial, "b");
      isStale(Refused.from(() -> race.second(() -> trial.update("a", "t1", Trial.start("c1")))));
    }
    assertEquals("", trial.journal().getCalls(0).getStartedByAttemptId());
  }

  @Test
  void zombies_segments_that_waited_for_a_replacement_are_refused() throws Exception {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    try (Race race = new Race(trial)) {
      replace(race, trial, "b");
      isStale(Refused.from(() -> race.secondThatLooksAgain(() -> trial.put("a", key, 0, "abc"))));
    }
    assertEquals("OPEN 0 b", trial.stored.stream(key));
  }

  @Test
  void of_two_first_turns_that_begin_side_by_side_the_second_replaces_the_first() throws Exception {
    Trial trial = Trial.running(JOURNAL);
    try (Race race = new Race(trial)) {
      begin(race, trial, "t1");
      TurnJournal slot = race.second(() -> trial.begun("a", "t2")).getJournal();
      assertEquals("t2", slot.getTurnId());
      assertEquals(2, slot.getRevision());
    }
  }
}

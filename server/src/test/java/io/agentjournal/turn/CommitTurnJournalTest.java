package io.agentjournal.turn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.CommitTurnJournalResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.SubmissionStatus;
import io.agentjournal.v1.TurnJournal;
import io.agentjournal.v1.TurnPhase;
import io.grpc.Status.Code;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class CommitTurnJournalTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  @Test
  void commit_freezes_the_turn_and_completes_the_open_stream() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.put("a", key, 0, "abc");
    CommitTurnJournalResponse answer =
        trial.turns.commitTurnJournal(
            trial
                .committing("a", "t1")
                .addEntries(Trial.entry("e1", "one"))
                .addEntries(Trial.entry("e2", "two"))
                .setExpectedNextIndex(3)
                .build());
    assertTrue(answer.getApplied());
    assertFalse(answer.hasSubmission());
    assertEquals(TurnPhase.TURN_PHASE_COMMITTED, answer.getJournal().getPhase());
    assertEquals("e2", answer.getJournal().getCommittedLeafId());
    assertEquals("e2", trial.stored.leaf());
    assertEquals("COMPLETE 3 a", trial.stored.stream(key));
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_RUNNING, trial.submission().getStatus());
  }

  @Test
  void commit_follows_a_tool_request_too() {
    Trial trial = Trial.requested(JOURNAL);
    TurnJournal slot = trial.commit("a", "t1").getJournal();
    assertEquals(TurnPhase.TURN_PHASE_COMMITTED, slot.getPhase());
    assertEquals(2, slot.getCallsCount());
  }

  @Test
  void without_a_named_leaf_the_sessions_leaf_is_kept() {
    Trial trial = Trial.started(JOURNAL);
    trial.turns.commitTurnJournal(
        trial.committing("a", "t1").addEntries(Trial.entry("e1", "one")).build());
    trial.begun("a", "t2");
    trial.start("a", "t2");
    assertEquals("e1", trial.commit("a", "t2").getJournal().getCommittedLeafId());
  }

  @Test
  void named_leaf_must_be_an_entry_of_the_session() {
    Trial trial = Trial.started(JOURNAL);
    List<String> before = trial.stored.all();
    CommitTurnJournalRequest.Builder request =
        trial.committing("a", "t1").addEntries(Trial.entry("e1", "one"));
    Refused.from(() -> trial.turns.commitTurnJournal(request.setCommittedLeafId("e7").build()))
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_ENTRY_NOT_FOUND, "entry_id", "e7");
    assertEquals(before, trial.stored.all());
    assertEquals(
        "e1",
        trial
            .turns
            .commitTurnJournal(request.setCommittedLeafId("e1").build())
            .getJournal()
            .getCommittedLeafId());
  }

  @Test
  void b014_commit_is_refused_while_expected_segments_are_not_stored() {
    Trial trial = Trial.started(JOURNAL);
    trial.put("a", trial.streamKey("t1", "a"), 0, "abc");
    List<String> before = trial.stored.all();
    Refused.from(
            () ->
                trial.turns.commitTurnJournal(
                    trial
                        .committing("a", "t1")
                        .addEntries(Trial.entry("e1", "one"))
                        .setExpectedNextIndex(4)
                        .build()))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_SEGMENTS_MISSING,
            "expected_next_index",
            "4",
            "next_index",
            "3");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void repeat_that_expects_other_segments_is_refused() {
    Trial trial = Trial.started(JOURNAL);
    trial.put("a", trial.streamKey("t1", "a"), 0, "abc");
    CommitTurnJournalRequest.Builder request = trial.committing("a", "t1").setExpectedNextIndex(3);
    trial.turns.commitTurnJournal(request.clone().setSettle(Trial.completed("done")).build());
    assertFalse(trial.turns.commitTurnJournal(request.build()).getApplied());
    assertFalse(trial.commit("a", "t1").getApplied());
    Refused.from(
            () -> trial.turns.commitTurnJournal(request.clone().setExpectedNextIndex(4).build()))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ALREADY_SETTLED);
  }

  @Test
  void b014_late_segments_after_the_commit_are_refused() {
    Trial trial = Trial.committed(JOURNAL);
    Refused.from(() -> trial.put("a", trial.streamKey("t1", "a"), 0, "x"))
        .mustBe(
            Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STREAM_ENDED, "state", "COMPLETE");
  }

  @Test
  void failed_stream_stays_failed() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.segments.putSegments(
        PutSegmentsRequest.newBuilder()
            .setOpen(StreamOpen.newBuilder().setStreamKey(key).setAttempt(trial.ref("a")))
            .setEnd(StreamEnd.newBuilder().setFailure(Failure.newBuilder().setCode("cut")))
            .build());
    trial.commit("a", "t1");
    assertEquals("FAILED 0 a", trial.stored.stream(key));
  }

  @Test
  void commit_before_the_model_was_asked_is_refused() {
    Trial trial = Trial.running(JOURNAL);
    trial.begun("a", "t1");
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.commit("a", "t1"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "before_provider",
            "wanted",
            "provider_started or tool_request_recorded");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void b015_repeated_commit_is_not_applied() {
    Trial trial = Trial.started(JOURNAL);
    CommitTurnJournalRequest request =
        trial.committing("a", "t1").addEntries(Trial.entry("e1", "one")).build();
    CommitTurnJournalResponse first = trial.turns.commitTurnJournal(request);
    List<String> before = trial.stored.all();
    CommitTurnJournalResponse again = trial.turns.commitTurnJournal(request);
    assertTrue(first.getApplied());
    assertFalse(again.getApplied());
    assertEquals(first.getJournal(), again.getJournal());
    assertEquals(before, trial.stored.all());
  }

  @Test
  void commit_with_other_facts_is_refused() {
    Trial trial = Trial.started(JOURNAL);
    trial.turns.commitTurnJournal(
        trial.committing("a", "t1").addEntries(Trial.entry("e1", "one")).build());
    List<String> before = trial.stored.all();
    List<CommitTurnJournalRequest.Builder> others =
        List.of(
            trial.committing("a", "t1").addEntries(Trial.entry("e2", "two")),
            trial.committing("a", "t1").addEntries(Trial.entry("e1", "other")),
            trial.committing("a", "t1").setCommittedLeafId(""),
            trial.committing("a", "t1").setFinal(true),
            trial.committing("a", "t1").setSettle(Trial.completed("x")));
    for (CommitTurnJournalRequest.Builder other : others) {
      Refused.from(() -> trial.turns.commitTurnJournal(other.build()))
          .mustBe(
              Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_TURN_COMMITTED,
              "turn_id",
              "t1",
              "committed_leaf_id",
              "e1");
    }
    assertEquals(before, trial.stored.all());
  }

  @Test
  void delayed_repeat_of_an_earlier_commit_does_not_touch_the_next_turn() {
    Trial trial = Trial.started(JOURNAL);
    CommitTurnJournalRequest request =
        trial.committing("a", "t1").addEntries(Trial.entry("e1", "one")).build();
    trial.turns.commitTurnJournal(request);
    trial.begun("a", "t2");
    trial.start("a", "t2");
    List<String> before = trial.stored.all();
    CommitTurnJournalResponse answer = trial.turns.commitTurnJournal(request);
    assertFalse(answer.getApplied());
    assertEquals("t2", answer.getJournal().getTurnId());
    assertEquals(TurnPhase.TURN_PHASE_PROVIDER_STARTED, answer.getJournal().getPhase());
    assertEquals(before, trial.stored.all());
  }

  @Test
  void commit_of_a_superseded_turn_is_refused() {
    Trial trial = Trial.started(JOURNAL);
    trial.begun("a", "t2");
    trial.start("a", "t2");
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.commit("a", "t1"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "superseded");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void replaced_attempt_cannot_commit() {
    Trial trial = Trial.started(JOURNAL);
    trial.replace("a", "b");
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.commit("a", "t1"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "current_attempt_id",
            "b");
    assertEquals(before, trial.stored.all());
    assertEquals("b", trial.commit("b", "t1").getJournal().getAttemptId());
  }

  @Test
  void attempt_that_took_over_a_committed_slot_cannot_commit_it_again() {
    Trial trial = Trial.committed(JOURNAL);
    trial.replace("a", "b");
    Refused.from(() -> trial.commit("b", "t1"))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_TURN_COMMITTED, "turn_id", "t1");
    assertEquals("a", trial.journal().getAttemptId());
  }

  @Test
  void journal_write_after_settlement_is_refused() {
    Trial trial = Trial.started(JOURNAL);
    trial.settle("a", Trial.failed());
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.commit("a", "t1"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ALREADY_SETTLED,
            "submission_id",
            trial.id,
            "outcome",
            "FAILED");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void commit_with_settlement_is_one_transaction_and_its_repeat_is_one_too() {
    Trial trial = Trial.started(JOURNAL);
    CommitTurnJournalRequest request =
        trial
            .committing("a", "t1")
            .addEntries(Trial.entry("e1", "one"))
            .setSettle(Trial.completed("done"))
            .build();
    CommitTurnJournalResponse answer = trial.turns.commitTurnJournal(request);
    assertTrue(answer.getApplied());
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_SETTLED, answer.getSubmission().getStatus());
    assertEquals(Outcome.OUTCOME_COMPLETED, answer.getSubmission().getSettlement().getOutcome());
    assertEquals("a", answer.getSubmission().getSettlement().getSettledByAttemptId());
    assertEquals("done", answer.getSubmission().getSettlement().getResult().getPayload().getText());
    assertEquals("COMPLETE 0 a", trial.stored.stream(trial.streamKey("t1", "a")));

    List<String> before = trial.stored.all();
    CommitTurnJournalResponse again = trial.turns.commitTurnJournal(request);
    assertFalse(again.getApplied());
    assertEquals(answer.getSubmission(), again.getSubmission());
    assertEquals(before, trial.stored.all());

    Refused.from(
            () ->
                trial.turns.commitTurnJournal(
                    request.toBuilder().setSettle(Trial.completed("other")).build()))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ALREADY_SETTLED);
  }

  @Test
  void refused_settlement_leaves_the_turn_uncommitted() {
    Trial trial = Trial.started(JOURNAL);
    List<String> before = trial.stored.all();
    Refused.from(
            () ->
                trial.turns.commitTurnJournal(
                    trial
                        .committing("a", "t1")
                        .setExpectedLeafId("elsewhere")
                        .setSettle(Trial.completed("done"))
                        .build()))
        .mustBe(Code.ABORTED, ErrorReason.ERROR_REASON_LEAF_MOVED);
    assertEquals(before, trial.stored.all());
  }

  @Test
  void final_turn_lets_whoever_comes_next_settle_completed() {
    Trial trial = Trial.started(JOURNAL);
    TurnJournal slot =
        trial
            .turns
            .commitTurnJournal(trial.committing("a", "t1").setFinal(true).build())
            .getJournal();
    assertTrue(slot.getFinal());
    assertEquals(
        RecoveryAction.RECOVERY_ACTION_SETTLE_COMPLETED,
        trial.replace("a", "b").getPlan().getAction());
  }

  @Test
  void final_is_only_ever_true() {
    Trial trial = Trial.started(JOURNAL);
    Refused.from(
            () ->
                trial.turns.commitTurnJournal(trial.committing("a", "t1").setFinal(false).build()))
        .mustBe(Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "final");
  }
}

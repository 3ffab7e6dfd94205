package io.agentjournal.turn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.BeginTurnJournalResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.SubmissionKind;
import io.agentjournal.v1.TurnJournal;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.agentjournal.v1.TurnPhase;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.grpc.stub.MetadataUtils;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class BeginTurnJournalTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  @Test
  void first_begin_creates_the_slot_in_before_provider_with_revision_1() {
    Trial trial = Trial.running(JOURNAL);
    BeginTurnJournalResponse answer = trial.begun("a", "t1");
    TurnJournal slot = answer.getJournal();
    assertTrue(answer.getApplied());
    assertEquals(trial.id, slot.getSubmissionId());
    assertEquals(trial.session, slot.getSessionKey());
    assertEquals(SubmissionKind.SUBMISSION_KIND_DISPATCH, slot.getKind());
    assertEquals("op", slot.getOperationId());
    assertEquals("t1", slot.getTurnId());
    assertEquals("a", slot.getAttemptId());
    assertEquals(TurnPhase.TURN_PHASE_BEFORE_PROVIDER, slot.getPhase());
    assertEquals(1, slot.getRevision());
    assertEquals("", slot.getStreamKey());
    assertTrue(slot.hasCreatedAt());
    assertEquals(slot, trial.journal());
  }

  @Test
  void begin_replaces_the_slot_in_place_and_clears_the_rest() {
    Trial trial = Trial.requested(JOURNAL);
    trial.commit("a", "t1");
    TurnJournal slot = trial.begun("a", "t2").getJournal();
    assertEquals("t2", slot.getTurnId());
    assertEquals(2, slot.getRevision());
    assertEquals(TurnPhase.TURN_PHASE_BEFORE_PROVIDER, slot.getPhase());
    assertEquals("", slot.getStreamKey());
    assertEquals("", slot.getCommittedLeafId());
    assertEquals(List.of(), slot.getCallsList());
    assertFalse(slot.hasStreamConsumedAt());
    assertFalse(slot.getFinal());
  }

  @Test
  void open_stream_of_the_replaced_turn_becomes_superseded() {
    Trial trial = Trial.started(JOURNAL);
    String abandoned = trial.streamKey("t1", "a");
    trial.put("a", abandoned, 0, "ab");
    trial.begun("a", "t2");
    assertEquals("SUPERSEDED 2 a", trial.stored.stream(abandoned));
    Refused.from(() -> trial.put("a", abandoned, 2, "c"))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STREAM_ENDED);
  }

  @Test
  void complete_stream_of_the_replaced_turn_stays_complete() {
    Trial trial = Trial.started(JOURNAL);
    trial.consume("a", "t1", trial.streamKey("t1", "a"));
    trial.begun("a", "t2");
    assertEquals("COMPLETE 0 a", trial.stored.stream(trial.streamKey("t1", "a")));
  }

  @Test
  void input_counts_as_applied_from_the_first_begin_on() {
    Trial trial = Trial.running(JOURNAL);
    assertFalse(trial.submission().hasInputAppliedAt());
    trial.begun("a", "t1");
    assertTrue(trial.submission().hasInputAppliedAt());
  }

  @Test
  void begin_with_start_also_opens_the_stream() {
    Trial trial = Trial.running(JOURNAL);
    TurnJournal slot =
        trial
            .turns
            .beginTurnJournal(trial.begin("a", "t1").setStart(ProviderStart.newBuilder()).build())
            .getJournal();
    assertEquals(TurnPhase.TURN_PHASE_PROVIDER_STARTED, slot.getPhase());
    assertEquals(trial.streamKey("t1", "a"), slot.getStreamKey());
    assertEquals("OPEN 0 a", trial.stored.stream(slot.getStreamKey()));
  }

  @Test
  void repeat_by_the_same_attempt_is_not_applied_and_changes_nothing() {
    Trial trial = Trial.running(JOURNAL);
    trial.begun("a", "t1");
    List<String> before = trial.stored.all();
    BeginTurnJournalResponse answer = trial.begun("a", "t1");
    assertFalse(answer.getApplied());
    assertEquals("t1", answer.getJournal().getTurnId());
    assertEquals(before, trial.stored.all());
  }

  @Test
  void repeat_is_a_repeat_also_when_the_phase_has_moved_on_or_the_submission_is_settled() {
    Trial trial = Trial.requested(JOURNAL);
    assertFalse(trial.begun("a", "t1").getApplied());
    trial.commit("a", "t1");
    assertFalse(trial.begun("a", "t1").getApplied());
    trial.settle("a", Trial.completed("done"));
    List<String> before = trial.stored.all();
    assertFalse(trial.begun("a", "t1").getApplied());
    assertEquals(before, trial.stored.all());
  }

  @Test
  void repeat_with_start_is_judged_as_a_repeat_of_both() {
    Trial trial = Trial.running(JOURNAL);
    trial.begun("a", "t1");
    Refused.from(
            () ->
                trial.turns.beginTurnJournal(
                    trial.begin("a", "t1").setStart(ProviderStart.newBuilder()).build()))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_TURN_USED);
    trial.start("a", "t1");
    assertFalse(
        trial
            .turns
            .beginTurnJournal(trial.begin("a", "t1").setStart(ProviderStart.newBuilder()).build())
            .getApplied());
    Refused.from(
            () ->
                trial.turns.beginTurnJournal(
                    trial
                        .begin("a", "t1")
                        .setStart(ProviderStart.newBuilder().setStreamKey("another"))
                        .build()))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_TURN_USED);
  }

  @Test
  void delayed_repeat_of_an_earlier_begin_does_not_touch_the_next_turn() {
    Trial trial = Trial.started(JOURNAL);
    trial.begun("a", "t2");
    List<String> before = trial.stored.all();
    BeginTurnJournalResponse answer = trial.begun("a", "t1");
    assertFalse(answer.getApplied());
    assertEquals("t2", answer.getJournal().getTurnId());
    assertEquals(2, answer.getJournal().getRevision());
    assertEquals(before, trial.stored.all());
  }

  @Test
  void turn_id_is_used_once_per_submission() {
    Trial trial = Trial.committed(JOURNAL);
    trial.begun("a", "t2");
    List<String> before = trial.stored.all();
    Refused.from(
            () -> trial.turns.beginTurnJournal(trial.begin("a", "t1").setOperationId("x").build()))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_TURN_USED,
            "turn_id",
            "t1",
            "current_turn_id",
            "t2");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void attempt_that_took_over_cannot_begin_the_turn_of_the_one_before_again() {
    Trial trial = Trial.started(JOURNAL);
    trial.replace("a", "b");
    Refused.from(() -> trial.begun("b", "t1"))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_TURN_USED);
  }

  @Test
  void replaced_attempt_cannot_begin_and_take_the_slot_back() {
    Trial trial = Trial.running(JOURNAL);
    trial.begun("a", "t1");
    trial.replace("a", "b");
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.begun("a", "t2"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "submission_id",
            trial.id,
            "attempt_id",
            "a",
            "current_attempt_id",
            "b",
            "current_owner",
            "owner-a");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void begin_after_settlement_is_refused() {
    Trial trial = Trial.committed(JOURNAL);
    trial.settle("a", Trial.completed("done"));
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.begun("a", "t2"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ALREADY_SETTLED,
            "outcome",
            "COMPLETED");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void begin_before_any_claim_is_refused() {
    Trial trial = Trial.queued(JOURNAL);
    Refused.from(() -> trial.begun("a", "t1"))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
  }

  @Test
  void begin_of_an_unknown_submission_is_not_found() {
    Trial trial = Trial.running(JOURNAL);
    Refused.from(
            () ->
                trial.turns.beginTurnJournal(
                    trial
                        .begin("a", "t1")
                        .setAttempt(trial.ref("a").toBuilder().setSubmissionId("nobody's"))
                        .build()))
        .mustBe(
            Code.NOT_FOUND,
            ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND,
            "submission_id",
            "nobody's");
  }

  @Test
  void expected_revision_must_be_the_slots() {
    Trial trial = Trial.running(JOURNAL);
    Refused.from(
            () ->
                trial.turns.beginTurnJournal(trial.begin("a", "t1").setExpectedRevision(1).build()))
        .mustBe(
            Code.ABORTED,
            ErrorReason.ERROR_REASON_REVISION_MOVED,
            "expected_revision",
            "1",
            "revision",
            "0");
    assertTrue(
        trial
            .turns
            .beginTurnJournal(trial.begin("a", "t1").setExpectedRevision(0).build())
            .getApplied());
    assertFalse(
        trial
            .turns
            .beginTurnJournal(trial.begin("a", "t1").setExpectedRevision(0).build())
            .getApplied());
    assertTrue(
        trial
            .turns
            .beginTurnJournal(trial.begin("a", "t2").setExpectedRevision(1).build())
            .getApplied());
  }

  @Test
  void stream_key_of_another_stream_is_refused_and_no_turn_is_begun() {
    Trial other = Trial.started(JOURNAL);
    String taken = other.streamKey("t1", "a");
    Trial trial = Trial.running(JOURNAL);
    List<String> before = trial.stored.all();
    Refused.from(
            () ->
                trial.turns.beginTurnJournal(
                    trial
                        .begin("a", "t1")
                        .setStart(ProviderStart.newBuilder().setStreamKey(taken))
                        .build()))
        .mustBe(Code.ALREADY_EXISTS, ErrorReason.ERROR_REASON_STREAM_CONFLICT, "stream_key", taken);
    assertEquals(before, trial.stored.all());
  }

  @Test
  void traceparent_of_the_call_is_kept_and_a_malformed_one_is_not() {
    Trial trial = Trial.running(JOURNAL);
    String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    assertEquals(trace, withTraceparent(trial, trace, "t1").getTraceparent());
    assertEquals("", withTraceparent(trial, "00-nonsense", "t2").getTraceparent());
    assertEquals("", trial.begun("a", "t3").getJournal().getTraceparent());
  }

  private static TurnJournal withTraceparent(Trial trial, String trace, String turn) {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), trace);
    TurnJournalServiceGrpc.TurnJournalServiceBlockingStub traced =
        trial.turns.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    return traced.beginTurnJournal(trial.begin("a", turn).build()).getJournal();
  }

  @Test
  void ids_are_checked_before_anything_is_looked_up() {
    Trial trial = Trial.running(JOURNAL);
    Refused.from(() -> trial.begun("a", ""))
        .mustBe(
            Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "turn_id",
            "size",
            "0",
            "limit",
            "512");
    Refused.from(() -> trial.begun("a", "t\0"))
        .mustBe(Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "turn_id");
    Refused.from(() -> trial.begun("", "t1"))
        .mustBe(
            Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "attempt_id");
  }
}

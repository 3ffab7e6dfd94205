package io.agentjournal.turn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.MarkStreamConsumedRequest;
import io.agentjournal.v1.MarkStreamConsumedResponse;
import io.agentjournal.v1.TurnPhase;
import io.grpc.Status.Code;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class MarkStreamConsumedTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  @Test
  void stamps_once_and_makes_the_stream_complete() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.put("a", key, 0, "abc");
    MarkStreamConsumedResponse answer = trial.consume("a", "t1", key);
    assertTrue(answer.getApplied());
    assertTrue(answer.getJournal().hasStreamConsumedAt());
    assertEquals(TurnPhase.TURN_PHASE_PROVIDER_STARTED, answer.getJournal().getPhase());
    assertEquals("COMPLETE 3 a", trial.stored.stream(key));

    List<String> before = trial.stored.all();
    MarkStreamConsumedResponse again = trial.consume("a", "t1", key);
    assertFalse(again.getApplied());
    assertEquals(answer.getJournal(), again.getJournal());
    assertEquals(before, trial.stored.all());
  }

  @Test
  void segments_after_the_stamp_are_refused() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.consume("a", "t1", key);
    Refused.from(() -> trial.put("a", key, 0, "x"))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STREAM_ENDED);
  }

  @Test
  void stamp_is_refused_unless_the_stream_has_the_expected_segments() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.put("a", key, 0, "abc");
    List<String> before = trial.stored.all();
    MarkStreamConsumedRequest.Builder request =
        MarkStreamConsumedRequest.newBuilder()
            .setAttempt(trial.ref("a"))
            .setTurnId("t1")
            .setStreamKey(key);
    Refused.from(() -> trial.turns.markStreamConsumed(request.setExpectedNextIndex(4).build()))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_SEGMENTS_MISSING,
            "expected_next_index",
            "4",
            "next_index",
            "3");
    assertEquals(before, trial.stored.all());
    assertTrue(
        trial.turns.markStreamConsumed(request.setExpectedNextIndex(3).build()).getApplied());
  }

  @Test
  void another_stream_than_the_slots_is_not_found() {
    Trial trial = Trial.started(JOURNAL);
    Refused.from(() -> trial.consume("a", "t1", "another"))
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_STREAM_NOT_FOUND, "stream_key", "another");
    assertFalse(trial.journal().hasStreamConsumedAt());
  }

  @Test
  void consumed_in_tool_request_recorded_is_refused() {
    Trial trial = Trial.requested(JOURNAL);
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.consume("a", "t1", trial.streamKey("t1", "a")))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "tool_request_recorded",
            "wanted",
            "provider_started");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void repeat_is_a_repeat_also_when_the_phase_has_moved_on_or_another_turn_was_begun() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.consume("a", "t1", key);
    trial.request("a", "t1", Trial.call("c1"));
    assertFalse(trial.consume("a", "t1", key).getApplied());
    trial.commit("a", "t1");
    trial.begun("a", "t2");
    List<String> before = trial.stored.all();
    assertFalse(trial.consume("a", "t1", key).getApplied());
    assertEquals(before, trial.stored.all());
  }

  @Test
  void replaced_attempt_is_refused_and_changes_nothing() {
    Trial trial = Trial.started(JOURNAL);
    trial.replace("a", "b");
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.consume("a", "t1", trial.streamKey("t1", "a")))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "attempt_id",
            "a",
            "current_attempt_id",
            "b");
    assertEquals(before, trial.stored.all());
    assertTrue(trial.consume("b", "t1", trial.streamKey("t1", "a")).getApplied());
  }

  @Test
  void stamp_of_the_attempt_before_stays() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.consume("a", "t1", key);
    trial.replace("a", "b");
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.consume("b", "t1", key))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "stream_consumed");
    assertEquals(before, trial.stored.all());
  }
}

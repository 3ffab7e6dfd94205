package io.agentjournal.turn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.NewToolCall;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.ToolCall;
import io.agentjournal.v1.ToolCallState;
import io.agentjournal.v1.ToolRequest;
import io.agentjournal.v1.TurnJournal;
import io.agentjournal.v1.TurnPhase;
import io.agentjournal.v1.UpdateTurnJournalPhaseRequest;
import io.agentjournal.v1.UpdateTurnJournalPhaseResponse;
import io.grpc.Status.Code;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class UpdateTurnJournalPhaseTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  @Test
  void to_provider_started_stores_the_minted_key_and_opens_the_stream_bound_to_the_attempt() {
    Trial trial = Trial.running(JOURNAL);
    trial.begun("a", "t1");
    UpdateTurnJournalPhaseResponse answer = trial.start("a", "t1");
    String key = trial.streamKey("t1", "a");
    assertTrue(answer.getApplied());
    assertEquals(TurnPhase.TURN_PHASE_PROVIDER_STARTED, answer.getJournal().getPhase());
    assertEquals(key, answer.getJournal().getStreamKey());
    assertEquals("OPEN 0 a", trial.stored.stream(key));
    assertEquals(2, trial.put("a", key, 0, "hi").getNextIndex());
  }

  @Test
  void minted_key_encodes_percent_and_colon_so_that_no_two_turns_share_one() {
    Trial trial = Trial.running(JOURNAL);
    trial.begun("a", "t:1%");
    assertEquals(trial.id + ":t%3A1%25:a", trial.start("a", "t:1%").getJournal().getStreamKey());
  }

  @Test
  void key_of_the_callers_choice_is_kept() {
    Trial trial = Trial.running(JOURNAL);
    trial.begun("a", "t1");
    String key = "mine-" + trial.id;
    ProviderStart start =
        ProviderStart.newBuilder().setStreamKey(key).setContentType("text/plain").build();
    assertEquals(key, trial.start("a", "t1", start).getJournal().getStreamKey());
    assertFalse(trial.start("a", "t1", start).getApplied());
    Refused.from(() -> trial.start("a", "t1"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "provider_started",
            "wanted",
            "before_provider");
  }

  @Test
  void repeated_start_is_not_applied_also_when_the_phase_has_moved_on() {
    Trial trial = Trial.running(JOURNAL);
    trial.begun("a", "t1");
    trial.start("a", "t1");
    assertFalse(trial.start("a", "t1").getApplied());
    trial.request("a", "t1", Trial.call("c1"));
    List<String> before = trial.stored.all();
    UpdateTurnJournalPhaseResponse answer = trial.start("a", "t1");
    assertFalse(answer.getApplied());
    assertEquals(TurnPhase.TURN_PHASE_TOOL_REQUEST_RECORDED, answer.getJournal().getPhase());
    assertEquals(before, trial.stored.all());
  }

  @Test
  void tool_request_is_stored_in_its_order_with_its_arguments() {
    Trial trial = Trial.started(JOURNAL);
    ByteString arguments = ByteString.copyFrom(new byte[] {0, 1, (byte) 0xF0, (byte) 0x9F});
    NewToolCall second =
        NewToolCall.newBuilder()
            .setToolCallId("c2")
            .setName("fetch")
            .setArguments(arguments)
            .setRestartSafe(true)
            .setIdempotencyKey("key")
            .build();
    TurnJournal slot = trial.request("a", "t1", Trial.call("c1"), second).getJournal();
    assertEquals(TurnPhase.TURN_PHASE_TOOL_REQUEST_RECORDED, slot.getPhase());
    assertEquals(2, slot.getCallsCount());
    assertEquals(trial.id + ":t1:c1", slot.getCalls(0).getIdempotencyKey());
    ToolCall stored = slot.getCalls(1);
    assertEquals("c2", stored.getToolCallId());
    assertEquals("fetch", stored.getName());
    assertEquals(arguments, stored.getArguments());
    assertTrue(stored.getRestartSafe());
    assertEquals("key", stored.getIdempotencyKey());
    assertEquals(ToolCallState.TOOL_CALL_STATE_RECORDED, stored.getState());
    assertFalse(slot.getArgumentsOmitted());
    assertEquals(slot, trial.journal());
  }

  @Test
  void tool_request_makes_the_stream_complete() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.put("a", key, 0, "abc");
    trial.request("a", "t1", Trial.call("c1"));
    assertEquals("COMPLETE 3 a", trial.stored.stream(key));
  }

  @Test
  void b014_tool_request_is_refused_while_expected_segments_are_not_stored() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.put("a", key, 0, "abc");
    List<String> before = trial.stored.all();
    ToolRequest request =
        ToolRequest.newBuilder()
            .addCalls(Trial.call("c1"))
            .addEntries(Trial.entry("e1-" + trial.id, "text"))
            .setExpectedNextIndex(4)
            .build();
    Refused.from(() -> trial.request("a", "t1", request))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_SEGMENTS_MISSING,
            "stream_key",
            key,
            "expected_next_index",
            "4",
            "next_index",
            "3");
    assertEquals(before, trial.stored.all());
    trial.put("a", key, 3, "d");
    assertTrue(trial.request("a", "t1", request).getApplied());
  }

  @Test
  void tool_request_over_a_failed_stream_is_refused() {
    Trial trial = Trial.started(JOURNAL);
    String key = trial.streamKey("t1", "a");
    trial.segments.putSegments(
        PutSegmentsRequest.newBuilder()
            .setOpen(StreamOpen.newBuilder().setStreamKey(key).setAttempt(trial.ref("a")))
            .setEnd(
                StreamEnd.newBuilder()
                    .setFailure(
                        io.agentjournal.v1.Failure.newBuilder().setCode("overloaded").build()))
            .build());
    Refused.from(() -> trial.request("a", "t1", Trial.call("c1")))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STREAM_ENDED,
            "stream_key",
            key,
            "state",
            "FAILED");
    assertEquals(TurnPhase.TURN_PHASE_PROVIDER_STARTED, trial.journal().getPhase());
  }

  @Test
  void entries_join_the_transcript_and_the_leaves_are_kept() {
    Trial trial = Trial.started(JOURNAL);
    ToolRequest first =
        ToolRequest.newBuilder()
            .addCalls(Trial.call("c1"))
            .addEntries(Trial.entry("e1", "one"))
            .addEntries(Trial.entry("e2", "two"))
            .setExpectedLeafId("")
            .build();
    TurnJournal slot = trial.request("a", "t1", first).getJournal();
    assertEquals("", slot.getCheckpointLeafId());
    assertEquals("e2", slot.getRequestLeafId());
    assertEquals("e2", trial.stored.leaf());
    assertFalse(trial.request("a", "t1", first).getApplied());

    trial.commit("a", "t1");
    trial.begun("a", "t2");
    trial.start("a", "t2");
    ToolRequest second =
        ToolRequest.newBuilder()
            .addCalls(Trial.call("c1"))
            .addEntries(Trial.entry("e3", "three"))
            .build();
    TurnJournal next = trial.request("a", "t2", second).getJournal();
    assertEquals("e2", next.getCheckpointLeafId());
    assertEquals("e3", next.getRequestLeafId());
  }

  @Test
  void named_checkpoint_must_be_an_entry_of_the_session() {
    Trial trial = Trial.started(JOURNAL);
    ToolRequest.Builder request =
        ToolRequest.newBuilder()
            .addCalls(Trial.call("c1"))
            .addEntries(Trial.entry("e1", "one"))
            .setCheckpointLeafId("nowhere");
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.request("a", "t1", request.build()))
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_ENTRY_NOT_FOUND, "entry_id", "nowhere");
    assertEquals(before, trial.stored.all());
    assertTrue(trial.request("a", "t1", request.setCheckpointLeafId("").build()).getApplied());
  }

  @Test
  void moved_leaf_refuses_the_whole_request() {
    Trial trial = Trial.started(JOURNAL);
    List<String> before = trial.stored.all();
    ToolRequest request =
        ToolRequest.newBuilder()
            .addCalls(Trial.call("c1"))
            .addEntries(Trial.entry("e1", "one"))
            .setExpectedLeafId("e0")
            .build();
    Refused.from(() -> trial.request("a", "t1", request))
        .mustBe(
            Code.ABORTED,
            ErrorReason.ERROR_REASON_LEAF_MOVED,
            "session_key",
            trial.session,
            "expected_leaf_id",
            "e0");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void repeated_tool_request_is_not_applied_and_another_one_is_refused() {
    Trial trial = Trial.requested(JOURNAL);
    List<String> before = trial.stored.all();
    assertFalse(trial.request("a", "t1", Trial.call("c1"), Trial.call("c2")).getApplied());
    Refused.from(() -> trial.request("a", "t1", Trial.call("c2"), Trial.call("c1")))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "tool_request_recorded",
            "wanted",
            "provider_started");
    NewToolCall other = Trial.call("c2").toBuilder().setRestartSafe(true).build();
    Refused.from(() -> trial.request("a", "t1", Trial.call("c1"), other))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ILLEGAL_PHASE);
    assertEquals(before, trial.stored.all());
  }

  @Test
  void delayed_repeats_of_an_earlier_turn_do_not_touch_the_next() {
    Trial trial = Trial.requested(JOURNAL);
    trial.commit("a", "t1");
    trial.begun("a", "t2");
    List<String> before = trial.stored.all();
    assertFalse(trial.start("a", "t1").getApplied());
    assertFalse(trial.request("a", "t1", Trial.call("c1"), Trial.call("c2")).getApplied());
    Refused.from(() -> trial.request("a", "t1", Trial.call("other")))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_TURN_COMMITTED, "turn_id", "t1");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void turn_after_which_another_was_begun_goes_no_further() {
    Trial trial = Trial.running(JOURNAL);
    trial.begun("a", "t1");
    trial.begun("a", "t2");
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.start("a", "t1"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "superseded",
            "wanted",
            "before_provider");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void update_that_names_neither_phase_is_invalid_so_that_none_can_name_committed() {
    Trial trial = Trial.started(JOURNAL);
    Refused.from(
            () ->
                trial.turns.updateTurnJournalPhase(
                    UpdateTurnJournalPhaseRequest.newBuilder()
                        .setAttempt(trial.ref("a"))
                        .setTurnId("t1")
                        .build()))
        .mustBe(Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "next");
    assertEquals(TurnPhase.TURN_PHASE_PROVIDER_STARTED, trial.journal().getPhase());
  }

  @Test
  void unknown_turn_is_not_found() {
    Trial trial = Trial.running(JOURNAL);
    Refused.from(() -> trial.start("a", "t1"))
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_TURN_NOT_FOUND, "turn_id", "t1");
    trial.begun("a", "t1");
    Refused.from(() -> trial.request("a", "t7", Trial.call("c1")))
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_TURN_NOT_FOUND, "turn_id", "t7");
  }

  @Test
  void attempt_that_took_over_before_the_model_was_asked_asks_it_itself() {
    Trial trial = Trial.running(JOURNAL);
    trial.begun("a", "t1");
    trial.replace("a", "b");
    Refused.from(() -> trial.start("a", "t1"))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "current_attempt_id",
            "b");
    TurnJournal slot = trial.start("b", "t1").getJournal();
    assertEquals(trial.streamKey("t1", "b"), slot.getStreamKey());
    assertEquals("OPEN 0 b", trial.stored.stream(slot.getStreamKey()));
  }

  @Test
  void limits_of_a_tool_request_are_checked_before_anything_is_written() {
    Trial trial = Trial.started(JOURNAL);
    Refused.from(() -> trial.request("a", "t1"))
        .mustBe(
            Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "calls",
            "size",
            "0");
    Refused.from(() -> trial.request("a", "t1", Trial.call("c1"), Trial.call("c1")))
        .mustBe(
            Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "tool_call_id",
            "value",
            "c1");
    NewToolCall large =
        Trial.call("c1").toBuilder()
            .setArguments(ByteString.copyFrom(new byte[(16 << 20) + 1]))
            .build();
    Refused.from(() -> trial.request("a", "t1", large))
        .mustBe(
            Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_TOO_LARGE,
            "field",
            "calls.arguments",
            "size",
            Integer.toString((16 << 20) + 1),
            "limit",
            Integer.toString(16 << 20));
    assertEquals(TurnPhase.TURN_PHASE_PROVIDER_STARTED, trial.journal().getPhase());
  }
}

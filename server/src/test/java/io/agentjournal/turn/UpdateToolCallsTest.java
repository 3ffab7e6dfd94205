package io.agentjournal.turn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.NewToolCall;
import io.agentjournal.v1.ReadActivePathRequest;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.RecoveryPlan;
import io.agentjournal.v1.SessionServiceGrpc;
import io.agentjournal.v1.ToolCall;
import io.agentjournal.v1.ToolCallState;
import io.agentjournal.v1.ToolCallUpdate;
import io.agentjournal.v1.ToolResultKind;
import io.agentjournal.v1.ToolVerdict;
import io.agentjournal.v1.UpdateToolCallsRequest;
import io.agentjournal.v1.UpdateToolCallsResponse;
import io.grpc.Status.Code;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class UpdateToolCallsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  @Test
  void start_and_result_go_forward_and_the_results_entry_joins_the_transcript() {
    Trial trial = Trial.requested(JOURNAL);
    ToolCall started = trial.update("a", "t1", Trial.start("c1")).getJournal().getCalls(0);
    assertEquals(ToolCallState.TOOL_CALL_STATE_STARTED, started.getState());
    assertEquals("a", started.getStartedByAttemptId());
    assertTrue(started.hasStartedAt());

    UpdateToolCallsResponse answer =
        trial.update("a", "t1", Trial.result("c1", Trial.entry("r1", "42")));
    assertTrue(answer.getApplied());
    assertEquals("r1", answer.getLeafId());
    assertEquals("r1", trial.stored.leaf());
    ToolCall ended = answer.getJournal().getCalls(0);
    assertEquals(ToolCallState.TOOL_CALL_STATE_RESULT, ended.getState());
    assertEquals(ToolResultKind.TOOL_RESULT_KIND_OK, ended.getResultKind());
    assertEquals("r1", ended.getResultEntryId());
    assertTrue(ended.hasEndedAt());
    assertEquals(
        ToolCallState.TOOL_CALL_STATE_RECORDED, answer.getJournal().getCalls(1).getState());
  }

  @Test
  void result_needs_no_start() {
    Trial trial = Trial.requested(JOURNAL);
    ToolCall denied =
        trial
            .update(
                "a",
                "t1",
                Trial.result("c1", ToolResultKind.TOOL_RESULT_KIND_DENIED, Trial.entry("r1", "no")))
            .getJournal()
            .getCalls(0);
    assertEquals(ToolResultKind.TOOL_RESULT_KIND_DENIED, denied.getResultKind());
    assertEquals("", denied.getStartedByAttemptId());
  }

  @Test
  void updates_of_one_request_are_stored_together_or_not_at_all() {
    Trial trial = Trial.requested(JOURNAL);
    List<String> before = trial.stored.all();
    Refused.from(
            () ->
                trial.update(
                    "a", "t1", Trial.result("c1", Trial.entry("r1", "42")), Trial.start("c7")))
        .mustBe(
            Code.NOT_FOUND,
            ErrorReason.ERROR_REASON_TOOL_CALL_NOT_FOUND,
            "turn_id",
            "t1",
            "tool_call_id",
            "c7");
    assertEquals(before, trial.stored.all());
    assertTrue(
        trial
            .update("a", "t1", Trial.result("c1", Trial.entry("r1", "42")), Trial.start("c2"))
            .getApplied());
  }

  @Test
  void what_is_recorded_already_is_left_and_the_rest_is_applied() {
    Trial trial = Trial.requested(JOURNAL);
    ToolCallUpdate first = Trial.result("c1", Trial.entry("r1", "42"));
    trial.update("a", "t1", first);
    List<String> before = trial.stored.all();
    assertFalse(trial.update("a", "t1", first).getApplied());
    assertEquals(before, trial.stored.all());
    assertTrue(
        trial.update("a", "t1", first, Trial.result("c2", Trial.entry("r2", "43"))).getApplied());
    assertEquals("r2", trial.stored.leaf());
  }

  @Test
  void another_result_is_refused_and_the_first_stays() {
    Trial trial = Trial.requested(JOURNAL);
    trial.update("a", "t1", Trial.result("c1", Trial.entry("r1", "42")));
    List<String> before = trial.stored.all();
    for (ToolCallUpdate other :
        List.of(
            Trial.result("c1", Trial.entry("r9", "42")),
            Trial.result("c1", Trial.entry("r1", "43")),
            Trial.result("c1", ToolResultKind.TOOL_RESULT_KIND_ERROR, Trial.entry("r1", "42")))) {
      Refused.from(() -> trial.update("a", "t1", other))
          .mustBe(
              Code.ALREADY_EXISTS,
              ErrorReason.ERROR_REASON_TOOL_RESULT_CONFLICT,
              "turn_id",
              "t1",
              "tool_call_id",
              "c1");
    }
    assertEquals(before, trial.stored.all());
  }

  @Test
  void b104_interrupted_result_is_recorded_once_whoever_comes() {
    Trial trial = Trial.requested(JOURNAL);
    trial.update("a", "t1", Trial.start("c1"));
    RecoveryPlan plan = trial.replace("a", "b").getPlan();
    assertEquals(RecoveryAction.RECOVERY_ACTION_FINISH_TOOLS, plan.getAction());
    assertEquals(ToolVerdict.TOOL_VERDICT_OUTCOME_UNKNOWN, plan.getTools(0).getVerdict());
    assertEquals(ToolVerdict.TOOL_VERDICT_NOT_STARTED, plan.getTools(1).getVerdict());
    ToolCallUpdate interrupted =
        Trial.result(
            "c1", ToolResultKind.TOOL_RESULT_KIND_INTERRUPTED, Trial.entry("r1", "nobody knows"));
    assertTrue(trial.update("b", "t1", interrupted).getApplied());
    trial.replace("b", "c");
    assertFalse(trial.update("c", "t1", interrupted).getApplied());
    assertEquals(
        ToolVerdict.TOOL_VERDICT_HAS_RESULT,
        trial.replace("c", "d").getPlan().getTools(0).getVerdict());
  }

  @Test
  void b107_zombie_is_stopped_before_it_runs_the_tool_also_when_it_repeats_its_start() {
    Trial trial = Trial.requested(JOURNAL);
    trial.update("a", "t1", Trial.start("c1"));
    assertFalse(trial.update("a", "t1", Trial.start("c1")).getApplied());
    trial.replace("a", "b");
    List<String> before = trial.stored.all();
    for (String call : List.of("c1", "c2")) {
      Refused.from(() -> trial.update("a", "t1", Trial.start(call)))
          .mustBe(
              Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_STALE_ATTEMPT,
              "current_attempt_id",
              "b");
    }
    assertEquals(before, trial.stored.all());
  }

  @Test
  void result_repeated_by_the_attempt_that_recorded_it_is_a_repeat_also_after_a_takeover() {
    Trial trial = Trial.requested(JOURNAL);
    ToolCallUpdate result = Trial.result("c1", Trial.entry("r1", "42"));
    trial.update("a", "t1", result);
    trial.replace("a", "b");
    assertFalse(trial.update("a", "t1", result).getApplied());
    Refused.from(() -> trial.update("a", "t1", Trial.result("c2", Trial.entry("r2", "x"))))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
  }

  @Test
  void started_call_is_started_again_only_if_it_is_restart_safe() {
    Trial trial = Trial.started(JOURNAL);
    NewToolCall safe = Trial.call("c2").toBuilder().setRestartSafe(true).build();
    trial.request("a", "t1", Trial.call("c1"), safe);
    trial.update("a", "t1", Trial.start("c1"), Trial.start("c2"));
    trial.replace("a", "b");
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.update("b", "t1", Trial.start("c1")))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "tool call started",
            "wanted",
            "tool call recorded");
    assertEquals(before, trial.stored.all());
    ToolCall again = trial.update("b", "t1", Trial.start("c2")).getJournal().getCalls(1);
    assertEquals("b", again.getStartedByAttemptId());
    assertEquals(trial.id + ":t1:c2", again.getIdempotencyKey());
  }

  @Test
  void call_with_a_result_is_not_started() {
    Trial trial = Trial.requested(JOURNAL);
    trial.update("a", "t1", Trial.result("c1", Trial.entry("r1", "42")));
    Refused.from(() -> trial.update("a", "t1", Trial.start("c1")))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "tool call result");
  }

  @Test
  void tool_call_id_used_again_in_a_later_turn_is_another_call() {
    Trial trial = Trial.requested(JOURNAL);
    trial.update("a", "t1", Trial.result("c1", Trial.entry("r1", "42")));
    trial.commit("a", "t1");
    trial.begun("a", "t2");
    trial.start("a", "t2");
    ToolCall call = trial.request("a", "t2", Trial.call("c1")).getJournal().getCalls(0);
    assertEquals(ToolCallState.TOOL_CALL_STATE_RECORDED, call.getState());
    assertTrue(trial.update("a", "t2", Trial.result("c1", Trial.entry("r2", "43"))).getApplied());
    Refused.from(() -> trial.update("a", "t1", Trial.result("c2", Trial.entry("r3", "44"))))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_TURN_COMMITTED);
  }

  @Test
  void updates_outside_of_tool_request_recorded_are_refused() {
    Trial started = Trial.started(JOURNAL);
    Refused.from(() -> started.update("a", "t1", Trial.start("c1")))
        .mustBe(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "provider_started",
            "wanted",
            "tool_request_recorded");
    Trial committed = Trial.requested(JOURNAL);
    committed.commit("a", "t1");
    List<String> before = committed.stored.all();
    Refused.from(() -> committed.update("a", "t1", Trial.start("c1")))
        .mustBe(Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_TURN_COMMITTED);
    assertEquals(before, committed.stored.all());
  }

  @Test
  void entry_id_that_is_taken_by_another_entry_is_refused() {
    Trial trial = Trial.started(JOURNAL);
    NewEntry message = Trial.entry("e1", "assistant");
    trial.request(
        "a",
        "t1",
        io.agentjournal.v1.ToolRequest.newBuilder()
            .addCalls(Trial.call("c1"))
            .addEntries(message)
            .build());
    List<String> before = trial.stored.all();
    Refused.from(() -> trial.update("a", "t1", Trial.result("c1", Trial.entry("e1", "42"))))
        .mustBe(Code.ALREADY_EXISTS, ErrorReason.ERROR_REASON_ENTRY_CONFLICT, "entry_id", "e1");
    assertEquals(before, trial.stored.all());
  }

  @Test
  void moved_leaf_refuses_the_results() {
    Trial trial = Trial.requested(JOURNAL);
    List<String> before = trial.stored.all();
    Refused.from(
            () ->
                trial.turns.updateToolCalls(
                    UpdateToolCallsRequest.newBuilder()
                        .setAttempt(trial.ref("a"))
                        .setTurnId("t1")
                        .addUpdates(Trial.result("c1", Trial.entry("r1", "42")))
                        .setExpectedLeafId("elsewhere")
                        .build()))
        .mustBe(Code.ABORTED, ErrorReason.ERROR_REASON_LEAF_MOVED);
    assertEquals(before, trial.stored.all());
  }

  @Test
  void b119_settlement_tells_the_calls_that_were_started_and_have_no_result() {
    Trial trial = Trial.requested(JOURNAL);
    trial.update("a", "t1", Trial.result("c1", Trial.entry("r1", "42")), Trial.start("c2"));
    trial.settle("a", Trial.failed());
    assertEquals(List.of("c2"), trial.submission().getSettlement().getUnresolvedToolCallIdsList());
  }

  @Test
  void malformed_updates_are_invalid() {
    Trial trial = Trial.requested(JOURNAL);
    Refused.from(() -> trial.update("a", "t1"))
        .mustBe(Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "updates");
    Refused.from(() -> trial.update("a", "t1", Trial.start("c1"), Trial.start("c1")))
        .mustBe(
            Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "tool_call_id");
    Refused.from(
            () -> trial.update("a", "t1", ToolCallUpdate.newBuilder().setToolCallId("c1").build()))
        .mustBe(
            Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "updates.update");
    Refused.from(
            () ->
                trial.update(
                    "a",
                    "t1",
                    Trial.result(
                        "c1",
                        ToolResultKind.TOOL_RESULT_KIND_UNSPECIFIED,
                        Trial.entry("r1", "42"))))
        .mustBe(
            Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "result.kind");
  }

  /** B058, B060 */
  @Test
  void result_with_a_nul_is_kept_beside_20_others() {
    Trial trial = Trial.started(JOURNAL);
    List<String> ids = IntStream.range(0, 21).mapToObj(i -> "c" + i).toList();
    trial.request("a", "t1", ids.stream().map(Trial::call).toArray(NewToolCall[]::new));
    trial.update(
        "a",
        "t1",
        ids.stream()
            .map(id -> Trial.result(id, Trial.entry("r-" + id, text(id))))
            .toArray(ToolCallUpdate[]::new));
    List<String> stored = new ArrayList<>();
    SessionServiceGrpc.newBlockingStub(JOURNAL.channel())
        .readActivePath(ReadActivePathRequest.newBuilder().setSessionKey(trial.session).build())
        .forEachRemaining(
            answer ->
                answer.getEntriesList().forEach(entry -> stored.add(entry.getPayload().getText())));
    assertEquals(ids.stream().map(UpdateToolCallsTest::text).toList(), stored);
  }

  private static String text(String toolCallId) {
    return toolCallId.equals("c7") ? "before\0after" : "result of " + toolCallId;
  }

  /**
   * B074: counted in bytes of PostgreSQL's log, of which there is none for what does not change.
   */
  @Test
  void tenth_large_result_writes_no_more_than_the_second() throws SQLException {
    Trial trial = Trial.started(JOURNAL);
    List<String> ids = IntStream.range(0, 10).mapToObj(i -> "c" + i).toList();
    trial.request("a", "t1", ids.stream().map(Trial::call).toArray(NewToolCall[]::new));
    List<Long> written = new ArrayList<>();
    Random random = new Random(74);
    for (String id : ids) {
      byte[] noise = new byte[384 << 10];
      random.nextBytes(noise);
      String result = Base64.getEncoder().encodeToString(noise);
      long before = logPosition();
      trial.update("a", "t1", Trial.result(id, Trial.entry("r-" + id, result)));
      written.add(logPosition() - before);
    }
    long second = written.get(1);
    assertTrue(second >= 512 << 10, written.toString());
    assertTrue(written.get(9) < second * 3 / 2, written.toString());
  }

  private static long logPosition() throws SQLException {
    try (Connection connection = TestPostgres.connect(JOURNAL.database());
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")) {
      row.next();
      return row.getLong(1);
    }
  }
}

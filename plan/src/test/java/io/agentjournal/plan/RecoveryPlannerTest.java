package io.agentjournal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.agentjournal.plan.Turn.BeforeProvider;
import io.agentjournal.plan.Turn.Call;
import io.agentjournal.plan.Turn.Committed;
import io.agentjournal.plan.Turn.Progress;
import io.agentjournal.plan.Turn.ProviderStarted;
import io.agentjournal.plan.Turn.Response;
import io.agentjournal.plan.Turn.ToolRequestRecorded;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One test for each row of the table, then the order of the rules over every situation there is.
 */
class RecoveryPlannerTest {
  @Test
  void without_a_slot_an_input_that_is_not_applied_is_applied() {
    assertEquals(Action.APPLY_INPUT, planOf(null, false).action());
  }

  @Test
  void without_a_slot_an_applied_input_is_answered_by_the_first_turn() {
    RecoveryPlan plan = planOf(null, true);
    assertEquals(Action.BEGIN_TURN, plan.action());
    assertNull(plan.leafId());
  }

  @Test
  void a_committed_turn_that_was_not_the_last_one_is_followed_by_the_next() {
    RecoveryPlan plan = planOf(new Committed(false, "e7"), true);
    assertEquals(Action.BEGIN_TURN, plan.action());
    assertEquals("e7", plan.leafId());
  }

  @Test
  void before_provider_the_model_is_called() {
    RecoveryPlan plan = planOf(new BeforeProvider(), true);
    assertEquals(Action.CALL_MODEL, plan.action());
    assertNull(plan.stream());
  }

  @Test
  void a_complete_response_is_replayed_and_the_model_is_not_called() {
    RecoveryPlan plan = planOf(new ProviderStarted("k", Response.COMPLETE, 42, false), true);
    assertEquals(Action.REPLAY_STREAM, plan.action());
    assertEquals(new RecoveryPlan.Stream("k", 42, false), plan.stream());
  }

  @Test
  void a_complete_response_without_a_segment_is_whole_too() {
    RecoveryPlan plan = planOf(new ProviderStarted("k", Response.COMPLETE, 0, false), true);
    assertEquals(Action.REPLAY_STREAM, plan.action());
  }

  @ParameterizedTest
  @EnumSource(
      value = Response.class,
      names = {"OPEN", "COMPLETE", "FAILED"})
  void a_consumed_response_is_replayed(Response response) {
    RecoveryPlan plan = planOf(new ProviderStarted("k", response, 3, true), true);
    assertEquals(Action.REPLAY_STREAM, plan.action());
  }

  @Test
  void a_partial_response_in_an_open_stream_is_continued_at_next_index() {
    RecoveryPlan plan = planOf(new ProviderStarted("k", Response.OPEN, 3, false), true);
    assertEquals(Action.CONTINUE_STREAM, plan.action());
    assertEquals(new RecoveryPlan.Stream("k", 3, true), plan.stream());
  }

  @Test
  void a_partial_response_in_a_failed_stream_is_told_as_not_open() {
    RecoveryPlan plan = planOf(new ProviderStarted("k", Response.FAILED, 3, false), true);
    assertEquals(Action.CONTINUE_STREAM, plan.action());
    assertEquals(new RecoveryPlan.Stream("k", 3, false), plan.stream());
  }

  @Test
  void when_nothing_of_the_response_is_stored_the_model_is_called_again_into_the_same_stream() {
    RecoveryPlan plan = planOf(new ProviderStarted("k", Response.OPEN, 0, false), true);
    assertEquals(Action.CALL_MODEL_AGAIN, plan.action());
    assertEquals(new RecoveryPlan.Stream("k", 0, true), plan.stream());
  }

  @ParameterizedTest
  @MethodSource("responsesThatAreGone")
  void when_the_stream_was_deleted_the_model_is_called_again(ProviderStarted gone) {
    RecoveryPlan plan = planOf(gone, true);
    assertEquals(Action.CALL_MODEL_AGAIN, plan.action());
    assertEquals(new RecoveryPlan.Stream(gone.streamKey(), gone.nextIndex(), false), plan.stream());
  }

  static Stream<ProviderStarted> responsesThatAreGone() {
    return Stream.of(
        new ProviderStarted("k", Response.GONE, 0, false),
        new ProviderStarted("k", Response.GONE, 5, false),
        new ProviderStarted("k", Response.GONE, 5, true));
  }

  @Test
  void b104_b107_b119_each_call_of_a_recorded_tool_request_has_its_verdict_in_order() {
    RecoveryPlan plan =
        planOf(
            new ToolRequestRecorded(
                List.of(
                    new Call("c1", "read", Progress.RESULT, false),
                    new Call("c2", "write", Progress.RECORDED, false),
                    new Call("c3", "fetch", Progress.STARTED, true),
                    new Call("c4", "pay", Progress.STARTED, false)),
                "e9"),
            true);
    assertEquals(Action.FINISH_TOOLS, plan.action());
    assertEquals(
        List.of(
            new RecoveryPlan.Tool("c1", "read", Verdict.HAS_RESULT),
            new RecoveryPlan.Tool("c2", "write", Verdict.NOT_STARTED),
            new RecoveryPlan.Tool("c3", "fetch", Verdict.RUN_AGAIN),
            new RecoveryPlan.Tool("c4", "pay", Verdict.OUTCOME_UNKNOWN)),
        plan.tools());
    assertEquals("e9", plan.leafId());
    assertNull(plan.stream());
  }

  @ParameterizedTest
  @MethodSource("io.agentjournal.plan.EverySituation#stream")
  void every_situation_has_the_one_plan_that_the_first_rule_that_holds_gives(Situation situation) {
    assertEquals(ExpectedAction.of(situation), RecoveryPlanner.plan(situation).action());
    assertEquals(RecoveryPlanner.plan(situation), RecoveryPlanner.plan(situation));
  }

  private static RecoveryPlan planOf(@Nullable Turn turn, boolean inputApplied) {
    return RecoveryPlanner.plan(
        new Situation(false, false, false, Budget.LEFT, false, inputApplied, turn));
  }
}

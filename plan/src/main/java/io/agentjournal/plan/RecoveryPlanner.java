package io.agentjournal.plan;

import io.agentjournal.plan.Turn.BeforeProvider;
import io.agentjournal.plan.Turn.Call;
import io.agentjournal.plan.Turn.Committed;
import io.agentjournal.plan.Turn.ProviderStarted;
import io.agentjournal.plan.Turn.Response;
import io.agentjournal.plan.Turn.ToolRequestRecorded;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is done next, by the first of these that holds:
 *
 * <ol>
 *   <li>settled, or held by another: nothing;
 *   <li>the turn is committed and was the last one: settle COMPLETED;
 *   <li>an abort was requested: settle ABORTED;
 *   <li>attempts or time are spent: settle FAILED;
 *   <li>waiting: nothing;
 *   <li>otherwise as the slot says.
 * </ol>
 *
 * Pure: the same situation has the same plan, and every situation has one.
 */
public final class RecoveryPlanner {
  private RecoveryPlanner() {}

  public static RecoveryPlan plan(Situation situation) {
    Turn turn = situation.turn();
    if (situation.settled()) {
      return RecoveryPlan.of(Action.NOTHING, "settled");
    }
    if (situation.heldByAnother()) {
      return RecoveryPlan.of(Action.NOTHING, "held by another attempt");
    }
    if (turn instanceof Committed committed && committed.isFinal()) {
      return RecoveryPlan.of(Action.SETTLE_COMPLETED, "the final turn is committed");
    }
    if (situation.abortRequested()) {
      return RecoveryPlan.of(Action.SETTLE_ABORTED, "an abort was requested");
    }
    if (situation.budget() == Budget.ATTEMPTS_SPENT) {
      return RecoveryPlan.of(Action.SETTLE_FAILED, "all attempts are spent");
    }
    if (situation.budget() == Budget.TIME_SPENT) {
      return RecoveryPlan.of(Action.SETTLE_FAILED, "the time is spent");
    }
    if (situation.waiting()) {
      return RecoveryPlan.of(Action.NOTHING, "waiting for an answer or a time");
    }
    return ofSlot(turn, situation.inputApplied());
  }

  private static RecoveryPlan ofSlot(@Nullable Turn turn, boolean inputApplied) {
    if (turn == null) {
      return inputApplied
          ? RecoveryPlan.of(Action.BEGIN_TURN, "the input is applied, no turn was begun")
          : RecoveryPlan.of(Action.APPLY_INPUT, "the input is not applied");
    }
    if (turn instanceof BeforeProvider) {
      return RecoveryPlan.of(Action.CALL_MODEL, "before_provider: the model was not asked");
    }
    if (turn instanceof ProviderStarted started) {
      return ofResponse(started);
    }
    if (turn instanceof ToolRequestRecorded requested) {
      return ofTools(requested);
    }
    String leafId = ((Committed) turn).committedLeafId();
    return new RecoveryPlan(
        Action.BEGIN_TURN, "the last turn is committed", null, List.of(), leafId);
  }

  private static RecoveryPlan ofResponse(ProviderStarted started) {
    Response response = started.response();
    boolean open = response == Response.OPEN;
    RecoveryPlan.Stream stream =
        new RecoveryPlan.Stream(started.streamKey(), started.nextIndex(), open);
    if (response == Response.GONE) {
      return of(Action.CALL_MODEL_AGAIN, "the stream was deleted", stream);
    }
    String stored = started.nextIndex() + " segments are stored";
    if (response == Response.COMPLETE || started.consumed()) {
      return of(Action.REPLAY_STREAM, "the response is whole: " + stored, stream);
    }
    if (started.nextIndex() == 0) {
      return of(Action.CALL_MODEL_AGAIN, "nothing of the response is stored", stream);
    }
    String state = open ? ", the stream is open" : ", the stream has failed";
    return of(Action.CONTINUE_STREAM, "the response is partial: " + stored + state, stream);
  }

  private static RecoveryPlan of(Action action, String because, RecoveryPlan.Stream stream) {
    return new RecoveryPlan(action, because, stream, List.of(), null);
  }

  private static RecoveryPlan ofTools(ToolRequestRecorded requested) {
    List<RecoveryPlan.Tool> tools =
        requested.calls().stream()
            .map(call -> new RecoveryPlan.Tool(call.toolCallId(), call.name(), verdict(call)))
            .toList();
    long open = tools.stream().filter(tool -> tool.verdict() != Verdict.HAS_RESULT).count();
    return new RecoveryPlan(
        Action.FINISH_TOOLS,
        "a tool request is recorded: " + open + " of " + tools.size() + " calls have no result",
        null,
        tools,
        requested.requestLeafId());
  }

  private static Verdict verdict(Call call) {
    return switch (call.progress()) {
      case RESULT -> Verdict.HAS_RESULT;
      case RECORDED -> Verdict.NOT_STARTED;
      case STARTED -> call.restartSafe() ? Verdict.RUN_AGAIN : Verdict.OUTCOME_UNKNOWN;
    };
  }
}

package io.agentjournal.plan;

import io.agentjournal.plan.Turn.BeforeProvider;
import io.agentjournal.plan.Turn.Committed;
import io.agentjournal.plan.Turn.ProviderStarted;
import io.agentjournal.plan.Turn.Response;
import io.agentjournal.plan.Turn.ToolRequestRecorded;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The contract's table, row by row; the rows after the order's rules exclude each other. */
final class ExpectedAction {
  private record Row(Predicate<Situation> holds, Action action) {}

  private static final List<Row> ORDER =
      List.of(
          new Row(s -> s.settled() || s.heldByAnother(), Action.NOTHING),
          new Row(s -> s.turn() instanceof Committed c && c.isFinal(), Action.SETTLE_COMPLETED),
          new Row(Situation::abortRequested, Action.SETTLE_ABORTED),
          new Row(s -> s.budget() != Budget.LEFT, Action.SETTLE_FAILED),
          new Row(Situation::waiting, Action.NOTHING));

  private static final List<Row> TABLE =
      List.of(
          new Row(s -> s.turn() == null && !s.inputApplied(), Action.APPLY_INPUT),
          new Row(s -> s.turn() == null && s.inputApplied(), Action.BEGIN_TURN),
          new Row(s -> s.turn() instanceof Committed c && !c.isFinal(), Action.BEGIN_TURN),
          new Row(s -> s.turn() instanceof BeforeProvider, Action.CALL_MODEL),
          new Row(
              s -> s.turn() instanceof ProviderStarted p && isThere(p) && isWhole(p),
              Action.REPLAY_STREAM),
          new Row(
              s ->
                  s.turn() instanceof ProviderStarted p
                      && isThere(p)
                      && !isWhole(p)
                      && p.nextIndex() > 0,
              Action.CONTINUE_STREAM),
          new Row(
              s ->
                  s.turn() instanceof ProviderStarted p
                      && (!isThere(p) || (!isWhole(p) && p.nextIndex() == 0)),
              Action.CALL_MODEL_AGAIN),
          new Row(s -> s.turn() instanceof ToolRequestRecorded, Action.FINISH_TOOLS));

  private ExpectedAction() {}

  static Action of(Situation situation) {
    for (Row row : ORDER) {
      if (row.holds().test(situation)) {
        return row.action();
      }
    }
    List<Action> actions = new ArrayList<>();
    for (Row row : TABLE) {
      if (row.holds().test(situation)) {
        actions.add(row.action());
      }
    }
    if (actions.size() != 1) {
      throw new AssertionError(actions + " for " + situation);
    }
    return actions.get(0);
  }

  private static boolean isThere(ProviderStarted started) {
    return started.response() != Response.GONE;
  }

  private static boolean isWhole(ProviderStarted started) {
    return started.consumed() || started.response() == Response.COMPLETE;
  }
}

package io.agentjournal.plan;

import io.agentjournal.plan.Turn.BeforeProvider;
import io.agentjournal.plan.Turn.Call;
import io.agentjournal.plan.Turn.Committed;
import io.agentjournal.plan.Turn.Progress;
import io.agentjournal.plan.Turn.ProviderStarted;
import io.agentjournal.plan.Turn.Response;
import io.agentjournal.plan.Turn.ToolRequestRecorded;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The product of everything that a plan depends on. */
final class EverySituation {
  private static final List<Boolean> EITHER = List.of(false, true);

  private EverySituation() {}

  static Stream<Situation> stream() {
    List<Situation> situations = new ArrayList<>();
    for (@Nullable Turn turn : turns()) {
      for (Budget budget : Budget.values()) {
        for (int flags = 0; flags < 1 << 5; flags++) {
          situations.add(
              new Situation(
                  (flags & 1) != 0,
                  (flags & 2) != 0,
                  (flags & 4) != 0,
                  budget,
                  (flags & 8) != 0,
                  (flags & 16) != 0,
                  turn));
        }
      }
    }
    return situations.stream();
  }

  private static List<@Nullable Turn> turns() {
    List<@Nullable Turn> turns = new ArrayList<>();
    turns.add(null);
    turns.add(new BeforeProvider());
    for (Response response : Response.values()) {
      for (boolean consumed : EITHER) {
        turns.add(new ProviderStarted("k", response, 0, consumed));
        turns.add(new ProviderStarted("k", response, 3, consumed));
      }
    }
    for (Progress progress : Progress.values()) {
      for (boolean restartSafe : EITHER) {
        turns.add(
            new ToolRequestRecorded(List.of(new Call("c", "tool", progress, restartSafe)), "e1"));
      }
    }
    turns.add(new Committed(false, "e1"));
    turns.add(new Committed(true, "e1"));
    return turns;
  }
}

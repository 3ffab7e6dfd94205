package io.agentjournal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.SessionKey;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class WatchScheduleTest {
  private static final long NOW = TimeUnit.HOURS.toNanos(1);

  private final WatchSchedule schedule = new WatchSchedule();

  private static List<WaitingWatch> waiting(int count, long newsNanos) {
    WatchTarget target = new WatchTarget.OfSession(new SessionKey(Namespace.DEFAULT, "s"));
    WatchPosition position = WatchPosition.behind(1, 1);
    return Stream.generate(() -> new WaitingWatch(target, position, true, newsNanos, told -> {}))
        .limit(count)
        .toList();
  }

  @Test
  void lively_watches_are_looked_at_in_every_tick() {
    List<WaitingWatch> lively = waiting(300, NOW - TimeUnit.SECONDS.toNanos(1));
    assertEquals(lively, schedule.due(lively, NOW));
    assertEquals(lively, schedule.due(lively, NOW));
  }

  @Test
  void silent_watches_are_looked_at_in_turn_within_a_tenth_of_a_second() {
    List<WaitingWatch> silent = waiting(300, 0);
    Set<WaitingWatch> looked = new HashSet<>();
    int looks = 0;
    for (int tick = 0; tick < 4; tick++) {
      List<WaitingWatch> due = schedule.due(silent, NOW);
      looked.addAll(due);
      looks += due.size();
    }
    assertEquals(Set.copyOf(silent), looked);
    assertEquals(silent.size(), looks);
  }

  @Test
  void looking_at_very_many_silent_watches_costs_no_more_in_a_tick() {
    List<WaitingWatch> silent = waiting(20_000, 0);
    Set<WaitingWatch> looked = new HashSet<>();
    for (int tick = 0; tick < 41; tick++) {
      List<WaitingWatch> due = schedule.due(silent, NOW);
      looked.addAll(due);
      assertTrue(due.size() < 2 * WatchSchedule.SILENT_PER_TICK, due.size() + " in a tick");
    }
    assertEquals(silent.size(), looked.size());
  }
}

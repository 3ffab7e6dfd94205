package io.agentjournal.event;

import java.util.ArrayList;
import java.util.List;

/**
 * Which of the watches that wait are looked at in a tick: the lively ones in each; of the silent
 * ones a part, so that each is looked at within a tenth of a second, and that the cost stays what
 * it is when they are many. Not thread-safe.
 */
final class WatchSchedule {
  static final int SILENT_PARTS = 4;

  /** Looking for so many costs the database about a millisecond. */
  static final int SILENT_PER_TICK = 500;

  static final int LIVELY_PER_TICK = 2_000;

  private long tick;

  List<WaitingWatch> due(List<WaitingWatch> waiting, long nowNanos) {
    tick++;
    List<WaitingWatch> lively = new ArrayList<>();
    List<WaitingWatch> silent = new ArrayList<>();
    for (WaitingWatch watch : waiting) {
      (watch.isLively(nowNanos) ? lively : silent).add(watch);
    }
    List<WaitingWatch> due = new ArrayList<>();
    addPart(due, lively, 1 + lively.size() / LIVELY_PER_TICK);
    addPart(due, silent, Math.max(SILENT_PARTS, 1 + silent.size() / SILENT_PER_TICK));
    return due;
  }

  private void addPart(List<WaitingWatch> due, List<WaitingWatch> all, int parts) {
    for (WaitingWatch watch : all) {
      if (Math.floorMod(watch.hashCode() + tick, parts) == 0) {
        due.add(watch);
      }
    }
  }
}

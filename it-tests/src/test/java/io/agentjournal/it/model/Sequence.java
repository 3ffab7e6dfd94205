package io.agentjournal.it.model;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Steps to play. Those of one group are under way at the same time.
 *
 * @param seed it was made from; what is shrunk keeps that of the whole
 */
record Sequence(long seed, List<List<Step>> groups) {
  Sequence {
    groups = groups.stream().map(List::copyOf).toList();
  }

  int stepCount() {
    return groups.stream().mapToInt(List::size).sum();
  }

  /** Without the steps from one number on; a group that loses all of its steps is gone. */
  Sequence without(int from, int count) {
    List<List<Step>> left = new ArrayList<>();
    int number = 0;
    for (List<Step> group : groups) {
      List<Step> kept = new ArrayList<>();
      for (Step step : group) {
        if (number < from || number >= from + count) {
          kept.add(step);
        }
        number++;
      }
      if (!kept.isEmpty()) {
        left.add(kept);
      }
    }
    return new Sequence(seed, left);
  }

  /** One after the other. */
  Sequence inOrder() {
    return new Sequence(seed, groups.stream().flatMap(List::stream).map(List::<Step>of).toList());
  }

  @Override
  public String toString() {
    return groups.stream()
        .map(
            group ->
                group.stream()
                    .map(step -> "  " + step)
                    .collect(Collectors.joining("\n      beside\n")))
        .collect(Collectors.joining("\n", "seed " + seed + "\n", ""));
  }
}

package io.agentjournal.it.model;

import java.util.List;
import java.util.stream.Stream;

/** Every guard that the model must miss when it is taken out. */
final class Guards {
  private Guards() {}

  static List<Guard> all() {
    return Stream.of(SubmissionGuards.all(), TurnGuards.all(), StreamGuards.all(), LockGuards.all())
        .flatMap(List::stream)
        .toList();
  }
}

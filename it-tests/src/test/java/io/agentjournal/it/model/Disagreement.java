package io.agentjournal.it.model;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Where servers and model part.
 *
 * @param sequence up to there
 * @param steps what the last calls were
 * @param observed what they came to
 * @param expected what the model says if they came in their order; one of its possibilities
 */
record Disagreement(
    Sequence sequence, List<Step> steps, List<Answer> observed, List<String> expected) {
  Disagreement {
    steps = List.copyOf(steps);
    observed = List.copyOf(observed);
    expected = List.copyOf(expected);
  }

  @Override
  public String toString() {
    return "model and server disagree\n%s\n  here:\n    %s\n  answered:\n    %s\n  the model:\n    %s"
        .formatted(
            sequence,
            steps.stream().map(Step::toString).collect(Collectors.joining("\n    ")),
            observed.stream().map(Answer::toString).collect(Collectors.joining("\n    ")),
            String.join("\n    ", expected));
  }
}

package io.agentjournal.it.benchmark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes down the figures of a run and prints each as it comes. The figures of a warm-up are printed
 * and forgotten.
 */
final class Results {
  /**
   * Two seconds are not enough for a JVM to compile what is called a hundred thousand times in one.
   */
  private static final int WARM_UP = 6;

  /**
   * At a pace it is called a tenth as often as at full speed. What compiles meanwhile keeps a
   * processor busy, and latencies are then those of the JIT.
   */
  private static final int PACED_WARM_UP = 30;

  private final BenchmarkOptions options;
  private final Map<Question, Map<String, List<Double>>> figures = new LinkedHashMap<>();
  private final Map<Question, Map<String, String>> notMeasured = new LinkedHashMap<>();
  private boolean isWarmUp;
  private boolean hasFailures;

  Results(BenchmarkOptions options) {
    this.options = options;
  }

  BenchmarkOptions options() {
    return options;
  }

  /** How long one of those who take part may work. */
  Duration turn() {
    return isWarmUp ? options.turn().multipliedBy(WARM_UP) : options.turn();
  }

  /** The same for who is not to be as fast as possible but on time. */
  Duration pacedTurn() {
    return isWarmUp ? options.turn().multipliedBy(PACED_WARM_UP) : options.turn();
  }

  /** Figures that follow are of a new round, or of one that does not count. */
  void next(boolean warmUp) {
    isWarmUp = warmUp;
  }

  void add(Question question, String who, double figure) {
    System.out.printf(
        "%-8s %-74s %-44s %12s %s%n",
        isWarmUp ? "warm-up" : "", question.what(), who, Numbers.of(figure), question.unit());
    if (!isWarmUp) {
      figures
          .computeIfAbsent(question, unused -> new LinkedHashMap<>())
          .computeIfAbsent(who, unused -> new ArrayList<>())
          .add(Numbers.rounded(figure));
    }
  }

  /**
   * @param reason of as many lines as it likes; a table's cell has one
   */
  void notMeasured(Question question, String who, String reason) {
    String why = reason.strip().replaceAll("\\s+", " ");
    System.out.printf("%-8s %-74s %-44s %s%n", "", question.what(), who, why);
    notMeasured.computeIfAbsent(question, unused -> new LinkedHashMap<>()).put(who, why);
  }

  void failed(List<Question> questions, String who, Exception failure) {
    failure.printStackTrace();
    hasFailures = true;
    questions.forEach(question -> notMeasured(question, who, "failed: " + failure));
  }

  boolean hasFailures() {
    return hasFailures;
  }

  Finding finding(Question question) {
    return Finding.of(
        question,
        figures.getOrDefault(question, Map.of()),
        notMeasured.getOrDefault(question, Map.of()),
        options.commit());
  }
}

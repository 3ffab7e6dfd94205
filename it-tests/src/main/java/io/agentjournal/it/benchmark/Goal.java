package io.agentjournal.it.benchmark;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * What is to be reached: a value, or a value times the figure of somebody else.
 *
 * @param text for people
 * @param atLeast false: at most
 * @param others the smallest of their figures counts; none: the factor is the value
 */
record Goal(String text, boolean atLeast, double factor, List<String> others) {
  Goal {
    others = List.copyOf(others);
  }

  static Goal atLeast(double value) {
    return new Goal("at least " + Numbers.of(value), true, value, List.of());
  }

  static Goal atMost(double value) {
    return new Goal("at most " + Numbers.of(value), false, value, List.of());
  }

  static Goal atLeast(double factor, String other) {
    return new Goal(
        "at least %s × %s".formatted(Numbers.of(factor), other), true, factor, List.of(other));
  }

  static Goal atMost(double factor, String other) {
    return new Goal(
        "at most %s × %s".formatted(Numbers.of(factor), other), false, factor, List.of(other));
  }

  static Goal atLeastOfSmallest(double factor, String... others) {
    return new Goal(
        "at least %s × the smaller of %s"
            .formatted(Numbers.of(factor), String.join(" and ", others)),
        true,
        factor,
        Arrays.asList(others));
  }

  /** Empty: it hangs on a figure that was not taken. */
  OptionalDouble value(Map<String, Double> figures) {
    if (!figures.keySet().containsAll(others)) {
      return OptionalDouble.empty();
    }
    double smallest = others.stream().mapToDouble(figures::get).min().orElse(1);
    return OptionalDouble.of(factor * smallest);
  }

  Finding.Reached judge(Double ours, Map<String, Double> figures) {
    OptionalDouble value = value(figures);
    if (value.isEmpty()) {
      return new Finding.Reached(text, null, null);
    }
    boolean reached = atLeast ? ours >= value.getAsDouble() : ours <= value.getAsDouble();
    return new Finding.Reached(text, value.getAsDouble(), reached);
  }
}

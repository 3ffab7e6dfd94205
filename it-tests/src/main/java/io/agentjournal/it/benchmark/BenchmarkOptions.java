package io.agentjournal.it.benchmark;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How a run was asked for: words of the form {@code name=value}.
 *
 * @param rows names, or the beginnings of names, of the pieces to be measured; none: all
 * @param rounds that count
 * @param turn how long each contender writes in a round
 * @param watch how long a single slow acknowledgement is looked out for
 * @param segments stored before the rows are measured again on a full database
 * @param submissions stored as well
 * @param commit of what is measured
 * @param results where the answers are put, beside those that are there
 */
record BenchmarkOptions(
    List<String> rows,
    int rounds,
    Duration turn,
    Duration watch,
    long segments,
    long submissions,
    String commit,
    Path results) {
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "rows", "",
          "rounds", "5",
          "seconds", "2",
          "watch", "300",
          "segments", "20000000",
          "submissions", "1000000",
          "results", "docs/benchmarks.json");

  BenchmarkOptions {
    rows = List.copyOf(rows);
    if (rounds < 1 || turn.isNegative() || turn.isZero()) {
      throw new IllegalArgumentException("at least one round of some seconds");
    }
  }

  static BenchmarkOptions parse(List<String> words) throws IOException {
    Map<String, String> values = new HashMap<>(DEFAULTS);
    for (String word : words) {
      String[] parts = word.split("=", 2);
      if (parts.length < 2 || !DEFAULTS.containsKey(parts[0])) {
        throw new IllegalArgumentException("not one of " + DEFAULTS.keySet() + ": " + word);
      }
      values.put(parts[0], parts[1]);
    }
    return new BenchmarkOptions(
        Arrays.stream(value(values, "rows").split(",")).filter(name -> !name.isEmpty()).toList(),
        Integer.parseInt(value(values, "rounds")),
        Duration.ofSeconds(Long.parseLong(value(values, "seconds"))),
        Duration.ofSeconds(Long.parseLong(value(values, "watch"))),
        Long.parseLong(value(values, "segments")),
        Long.parseLong(value(values, "submissions")),
        checkedOut(),
        Path.of(value(values, "results")));
  }

  private static String checkedOut() throws IOException {
    String commit = Programs.run(Path.of("."), "git", "describe", "--always").strip();
    // The results are in docs/, and change it.
    String changes =
        Programs.run(Path.of("."), "git", "status", "--porcelain", "--", ".", ":!docs").strip();
    return changes.isEmpty() ? commit : commit + "-dirty";
  }

  private static String value(Map<String, String> values, String name) {
    return values.getOrDefault(name, "");
  }

  boolean asksFor(String row) {
    return rows.isEmpty() || rows.stream().anyMatch(row::startsWith);
  }
}

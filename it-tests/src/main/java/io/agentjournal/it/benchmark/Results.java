package io.agentjournal.it.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was measured, by what was asked for and who did it: one figure for each round. */
final class Results {
  private final Map<String, Map<String, List<Double>>> figures = new LinkedHashMap<>();
  private boolean isWarmUp;

  /** Figures that follow are of a new round, or of one that does not count. */
  void next(boolean warmUp) {
    isWarmUp = warmUp;
    System.out.println(warmUp ? "warm-up" : "round");
  }

  void add(String what, String who, double perSecond) {
    System.out.printf("%-62s %-36s %,12.0f /s%n", what, who, perSecond);
    if (!isWarmUp) {
      figures
          .computeIfAbsent(what, unused -> new LinkedHashMap<>())
          .computeIfAbsent(who, unused -> new ArrayList<>())
          .add(perSecond);
    }
  }

  /** In Markdown: medians, and their ratios to the first of each row. */
  String table() {
    StringBuilder table =
        new StringBuilder("| what | who | median /s | first : this |\n|---|---|---|---|\n");
    figures.forEach(
        (what, byWho) -> {
          double first = median(byWho.values().iterator().next());
          byWho.forEach(
              (who, each) ->
                  table.append(
                      "| %s | %s | %,.0f | %.2f |%n"
                          .formatted(what, who, median(each), first / median(each))));
        });
    return table.toString();
  }

  /** The raw figures, as JSON. */
  void write(Path file) throws IOException {
    StringBuilder json = new StringBuilder("[\n");
    figures.forEach(
        (what, byWho) ->
            byWho.forEach(
                (who, each) ->
                    json.append(json.length() > 2 ? ",\n" : "")
                        .append(
                            "  {\"what\": \"%s\", \"who\": \"%s\", \"median\": %.0f, \"runs\": %s}"
                                .formatted(what, who, median(each), rounded(each)))));
    Files.writeString(file, json.append("\n]\n"));
  }

  private static List<Long> rounded(List<Double> each) {
    return each.stream().map(Math::round).toList();
  }

  private static double median(List<Double> each) {
    List<Double> sorted = each.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}

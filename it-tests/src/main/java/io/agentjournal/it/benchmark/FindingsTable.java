package io.agentjournal.it.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The answers as the table of a page. */
final class FindingsTable {
  private static final String BEGIN = "<!-- benchmarks.json as a table: begin -->\n";
  private static final String END = "<!-- benchmarks.json as a table: end -->\n";

  private FindingsTable() {}

  static String of(Findings findings) {
    return findings.all().stream()
        .map(FindingsTable::line)
        .collect(
            Collectors.joining(
                "",
                "| what | agent-journal | others (ours : theirs) | to reach | rounds, commit |\n|---|---|---|---|---|\n",
                ""));
  }

  private static String line(Finding finding) {
    return "| %s | %s | %s | %s | %s |\n"
        .formatted(finding.what(), ours(finding), others(finding), goals(finding), where(finding));
  }

  private static String ours(Finding finding) {
    return finding.ours() == null
        ? "not measured"
        : "**%s** %s".formatted(Numbers.of(finding.ours()), finding.unit());
  }

  private static String others(Finding finding) {
    Map<String, Double> ratios = finding.ratios();
    List<String> measured =
        finding.others().entrySet().stream()
            .map(
                other ->
                    "%s %s%s"
                        .formatted(
                            other.getKey(),
                            Numbers.of(other.getValue()),
                            ratios.containsKey(other.getKey())
                                ? " (" + Numbers.of(ratios.get(other.getKey())) + ")"
                                : ""))
            .toList();
    List<String> notMeasured =
        finding.notMeasured().entrySet().stream()
            .map(other -> "%s: %s".formatted(other.getKey(), other.getValue()))
            .toList();
    return String.join("<br>", measured)
        + (measured.isEmpty() || notMeasured.isEmpty() ? "" : "<br>")
        + String.join("<br>", notMeasured);
  }

  private static String goals(Finding finding) {
    return finding.goals().stream()
        .map(
            goal ->
                "%s: %s"
                    .formatted(
                        goal.text(),
                        goal.reached() == null ? "?" : goal.reached() ? "reached" : "**missed**"))
        .collect(Collectors.joining("<br>"));
  }

  private static String where(Finding finding) {
    return finding.runs().isEmpty()
        ? ""
        : "%d, `%s`"
            .formatted(
                finding.runs().values().stream().mapToInt(List::size).max().orElse(0),
                finding.commit());
  }

  /** Writes it into the page, between its marks. */
  static void replaceIn(Path page, Findings findings) throws IOException {
    if (!Files.exists(page)) {
      return;
    }
    String text = Files.readString(page);
    String before = text.substring(0, text.indexOf(BEGIN) + BEGIN.length());
    Files.writeString(page, before + of(findings) + text.substring(text.indexOf(END)));
  }

  /** The table that a page has. */
  static String in(Path page) throws IOException {
    String text = Files.readString(page);
    return text.substring(text.indexOf(BEGIN) + BEGIN.length(), text.indexOf(END));
  }
}

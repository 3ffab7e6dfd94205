package io.agentjournal.it.benchmark;

import io.agentjournal.it.TemporaryDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How fast, against what one would take instead, with client, server and database as processes of
 * their own. Arguments: those of {@link BenchmarkOptions}. Nothing here passes or fails.
 */
public final class Benchmark {
  private Benchmark() {}

  public static void main(String[] arguments) throws Exception {
    List<String> words = List.of(String.join(" ", arguments).strip().split("\\s+"));
    BenchmarkOptions options =
        BenchmarkOptions.parse(words.stream().filter(word -> !word.isEmpty()).toList());
    Results results = new Results(options);
    try (TemporaryDirectory directory = new TemporaryDirectory("journal-benchmark-");
        Stage stage = new Stage(directory.path())) {
      System.out.println("logs and data in " + directory.path());
      for (Row row : Rows.all()) {
        if (options.asksFor(row.name())) {
          System.out.println("\n" + row.name());
          measure(row, stage, results);
          keep(row.questions(), results);
        }
      }
      if (results.hasFailures()) {
        directory.keep();
      }
    }
    keep(List.of(), results);
    System.out.println("\n" + FindingsTable.of(Findings.read(options.results())));
  }

  /** A row that fails is one that is not measured; the others are. */
  private static void measure(Row row, Stage stage, Results results) {
    try {
      row.measure(stage, results);
    } catch (Exception e) {
      results.failed(row.questions(), Finding.OURS, e);
    }
  }

  /** After each row, so that a run that is ended early has not been for nothing. */
  private static void keep(List<Question> answered, Results results) throws IOException {
    Path file = results.options().results();
    Findings findings = Findings.read(file);
    answered.forEach(question -> findings.put(results.finding(question)));
    Findings ordered = findings.inOrderOf(Rows.questions());
    ordered.write(file);
    Files.writeString(file.resolveSibling("benchmarks.svg"), Picture.of(ordered));
    FindingsTable.replaceIn(file.resolveSibling("benchmarks.md"), ordered);
  }
}

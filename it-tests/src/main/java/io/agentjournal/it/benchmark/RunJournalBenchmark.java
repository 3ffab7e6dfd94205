package io.agentjournal.it.benchmark;

import io.agentjournal.it.OwnPostgresProcess;
import io.agentjournal.it.ServerProcess;
import io.agentjournal.it.TemporaryDirectory;
import io.agentjournal.it.benchmark.AppendLoad.Sending;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What group commit is good for: single appends of many runs through the server, against a row for
 * each commit on the same PostgreSQL, by turns: A B … A B …. Arguments: seconds of each turn (6),
 * runs (64), rounds after the warm-up (2).
 */
public final class RunJournalBenchmark {
  private static final int MANY_CONNECTIONS = 16;
  private static final String ONE_CONNECTION = "A  row per commit, 1 connection";

  private final Duration turn;
  private final int runs;
  private final int rounds;

  /** Sums of events in a second, in the order in which they were measured first. */
  private final Map<String, Double> sums = new LinkedHashMap<>();

  private RunJournalBenchmark(Duration turn, int runs, int rounds) {
    this.turn = turn;
    this.runs = runs;
    this.rounds = rounds;
  }

  public static void main(String[] arguments) throws Exception {
    new RunJournalBenchmark(
            Duration.ofSeconds(argument(arguments, 0, 6)),
            argument(arguments, 1, 64),
            argument(arguments, 2, 2))
        .measure();
  }

  private static int argument(String[] arguments, int position, int otherwise) {
    return position < arguments.length ? Integer.parseInt(arguments[position]) : otherwise;
  }

  private void measure() throws Exception {
    try (TemporaryDirectory directory = new TemporaryDirectory("run-journal-benchmark-")) {
      measure(directory.path());
    }
  }

  private void measure(Path directory) throws Exception {
    System.out.printf(
        "%d processors; %s in %s; turns of %d s, %d runs%n",
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("java.version"),
        directory,
        turn.toSeconds(),
        runs);
    try (ServerProcess process = ServerProcess.startToMeasure(directory);
        AppendLoad load = new AppendLoad(process.target(), runs)) {
      OwnPostgresProcess postgres = process.postgres();
      RowCommitLoad rows =
          new RowCommitLoad(postgres.jdbcUrl(), postgres.user(), postgres.password());
      // What is measured first would else pay for the compiler.
      System.out.println("warm-up");
      round(rows, load);
      sums.clear();
      PythonJournals others = PythonJournals.installed(directory);
      for (int round = 1; round <= rounds; round++) {
        System.out.println("round " + round);
        round(rows, load);
        if (others != null) {
          round(others, postgres);
        }
      }
    }
    double ofOneConnection = sums.getOrDefault(ONE_CONNECTION, Double.NaN);
    System.out.println("mean, and how many times A");
    sums.forEach(
        (what, sum) ->
            System.out.printf(
                "%-56s %,10.0f /s %6.1f%n", what, sum / rounds, sum / ofOneConnection));
  }

  private void round(RowCommitLoad rows, AppendLoad load) throws Exception {
    report(ONE_CONNECTION, rows.perSecond(turn, 1));
    report(
        "A' row per commit, " + MANY_CONNECTIONS + " connections",
        rows.perSecond(turn, MANY_CONNECTIONS));
    for (int underWay : new int[] {1, 16}) {
      report(
          "B  unary, " + underWay + " in each run", load.perSecond(Sending.UNARY, underWay, turn));
    }
    for (int underWay : new int[] {1, 16, 64}) {
      report(
          "C  streamed, " + underWay + " in each run",
          load.perSecond(Sending.STREAMED, underWay, turn));
    }
  }

  private void round(PythonJournals others, OwnPostgresProcess postgres) throws Exception {
    for (int each : new int[] {1, runs}) {
      for (String synchronous : new String[] {"NORMAL", "FULL"}) {
        report(
            "D  PraisonAI RunJournal, synchronous " + synchronous + ", runs: " + each,
            others.sqlitePerSecond(each, turn, synchronous));
      }
      report("E  DBOS streams, runs: " + each, others.dbosPerSecond(postgres, each, turn));
    }
  }

  private void report(String what, double perSecond) {
    System.out.printf("%-56s %,10.0f /s%n", what, perSecond);
    sums.merge(what, perSecond, Double::sum);
  }
}

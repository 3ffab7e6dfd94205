package io.agentjournal.it.benchmark;

import io.agentjournal.it.OwnPostgresProcess;
import io.agentjournal.it.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What group commit is good for: single appends of many runs through the server, against a row for
 * each commit on the same PostgreSQL, by turns: A B A B. Arguments: seconds of each turn (10), runs
 * (64), appends under way in each run (1).
 */
public final class RunJournalBenchmark {
  private static final int ROUNDS = 2;
  private static final int MANY_CONNECTIONS = 16;

  private final Duration turn;
  private final int runs;
  private final int underWay;
  private final List<Double> oneConnection = new ArrayList<>();
  private final List<Double> manyConnections = new ArrayList<>();
  private final List<Double> server = new ArrayList<>();

  private RunJournalBenchmark(Duration turn, int runs, int underWay) {
    this.turn = turn;
    this.runs = runs;
    this.underWay = underWay;
  }

  public static void main(String[] arguments) throws Exception {
    new RunJournalBenchmark(
            Duration.ofSeconds(argument(arguments, 0, 10)),
            argument(arguments, 1, 64),
            argument(arguments, 2, 1))
        .measure();
  }

  private static int argument(String[] arguments, int position, int otherwise) {
    return position < arguments.length ? Integer.parseInt(arguments[position]) : otherwise;
  }

  private void measure() throws Exception {
    Path directory = Files.createTempDirectory("run-journal-benchmark-");
    System.out.printf(
        "%d processors; %s in %s; turns of %d s, %d runs, %d append(s) under way in each%n",
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("java.version"),
        directory,
        turn.toSeconds(),
        runs,
        underWay);
    try (ServerProcess process = ServerProcess.startToMeasure(directory);
        AppendLoad load = new AppendLoad(process.target(), runs, underWay)) {
      OwnPostgresProcess postgres = process.postgres();
      RowCommitLoad rows =
          new RowCommitLoad(postgres.jdbcUrl(), postgres.user(), postgres.password());
      // What is measured first would else pay for the compiler.
      report("warm-up: row per commit, 1 connection", rows.perSecond(turn, 1));
      report("warm-up: appends through the server", load.perSecond(turn));
      for (int round = 0; round < ROUNDS; round++) {
        oneConnection.add(report("A  row per commit, 1 connection", rows.perSecond(turn, 1)));
        manyConnections.add(
            report(
                "A' row per commit, " + MANY_CONNECTIONS + " connections",
                rows.perSecond(turn, MANY_CONNECTIONS)));
        server.add(report("B  appends through the server", load.perSecond(turn)));
      }
    }
    System.out.printf("B : A  = %.1f%n", mean(server) / mean(oneConnection));
    System.out.printf("B : A' = %.1f%n", mean(server) / mean(manyConnections));
  }

  private static double report(String what, double perSecond) {
    System.out.printf("%-48s %,10.0f /s%n", what, perSecond);
    return perSecond;
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }
}

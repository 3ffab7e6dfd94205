package io.agentjournal.it.benchmark;

import java.time.Duration;
import java.util.List;

/** How long an acknowledgement takes while 200 models stream, 10,000 segments a second together. */
final class AckLatencyRow implements Row {
  static final int STREAMS = 200;
  static final int PER_SECOND = 10_000;

  private static final String LOAD = "200 streams, 10,000 segments/s: acknowledged within, ";

  private static final double LONGEST_MILLIS = 2000;

  private final Question median =
      new Question(name(), LOAD + "p50", "ms", List.of(Goal.atMost(3, LoneCommit.NAME)));

  private final Question p99 =
      new Question(name(), LOAD + "p99", "ms", List.of(Goal.atMost(15, LoneCommit.NAME)));

  private final Question longest =
      new Question(name(), LOAD + "the longest of all", "ms", List.of(Goal.atMost(LONGEST_MILLIS)));

  @Override
  public String name() {
    return "ack-latency";
  }

  @Override
  public List<Question> questions() {
    return List.of(median, p99, longest);
  }

  @Override
  public void measure(Stage stage, Results results) throws Exception {
    Journal journal = stage.journal();
    LoneCommit lone = new LoneCommit(journal.tables());
    for (int round = -1; round < results.options().rounds(); round++) {
      results.next(round < 0);
      double commit = lone.millis(results.turn());
      Latencies latencies = latencies(journal, results.pacedTurn());
      results.add(median, Finding.OURS, latencies.millis(0.5));
      results.add(median, LoneCommit.NAME, commit);
      results.add(p99, Finding.OURS, latencies.millis(0.99));
      results.add(p99, LoneCommit.NAME, commit);
    }
    results.add(longest, Finding.OURS, latencies(journal, results.options().watch()).millis(1));
  }

  static Latencies latencies(Journal journal, Duration time) {
    return new PacedLoad(journal.connections(), Journal.newKeyPrefix(), STREAMS, PER_SECOND)
        .latencies(time);
  }
}

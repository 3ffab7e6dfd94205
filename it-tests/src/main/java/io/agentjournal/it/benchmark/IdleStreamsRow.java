package io.agentjournal.it.benchmark;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** What 10,000 streams cost while nobody writes to them. */
final class IdleStreamsRow implements Row {
  private static final int STREAMS = 10_000;
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final Duration SETTLING = Duration.ofSeconds(10);
  private static final String NONE = "no stream";
  private static final double PERCENT = 100;
  private static final double GOAL = 3;

  private final Question question =
      new Question(
          name(),
          "10,000 idle streams: server and PostgreSQL together",
          "% of one core",
          List.of(Goal.atMost(GOAL)));

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public List<Question> questions() {
    return List.of(question);
  }

  @Override
  public void measure(Stage stage, Results results) throws Exception {
    Duration watch =
        results.options().watch().compareTo(LONGEST) < 0 ? results.options().watch() : LONGEST;
    results.next(false);
    try (Journal journal = stage.freshJournal()) {
      Processes processes = Processes.of(journal);
      Thread.sleep(SETTLING.toMillis());
      double none = percent(processes, watch.dividedBy(2));
      try (OpenStreams idle = OpenStreams.open(journal.connections(), STREAMS)) {
        System.out.println(idle.count() + " streams are open");
        Thread.sleep(SETTLING.toMillis());
        results.add(question, Finding.OURS, percent(processes, watch));
      }
      results.add(question, NONE, none);
    }
  }

  private static double percent(Processes processes, Duration time)
      throws IOException, InterruptedException {
    double before = processes.cpuSeconds();
    long start = System.nanoTime();
    Thread.sleep(time.toMillis());
    double seconds = (System.nanoTime() - start) / 1e9;
    return PERCENT * (processes.cpuSeconds() - before) / seconds;
  }
}

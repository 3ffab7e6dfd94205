package io.agentjournal.it.benchmark;

import java.time.Duration;
import java.util.List;

/**
 * 10,000 open calls, 1,000 of them followers that have stopped reading while their streams grow. By
 * turns with a server where as much was written and nobody follows: right after much has been
 * written any server is slower for some seconds, as what it does then is compiled anew.
 */
final class StoppedFollowersRow implements Row {
  private static final int STREAMS = 9_000;
  private static final int FOLLOWERS = 1_000;

  /** Some 140 kB in wire form: twice what a follower's connection holds. */
  private static final long SEGMENTS = 5_000;

  private static final int HEALTHY = 100;
  private static final int PER_SECOND = 1_000;

  /** More than others get: in a second here come few acknowledgements. */
  private static final Duration MORE_TIME = Duration.ofSeconds(3);

  private static final String WITHOUT = "without them";
  private static final double MEGABYTES = 700;

  private final Question memory =
      new Question(
          name(),
          "10,000 open streams, 1,000 of them followers that stopped reading: server's memory",
          "MB resident",
          List.of(Goal.atMost(MEGABYTES)));

  private final Question healthy =
      new Question(
          name(),
          "the same: acknowledgements of 100 healthy streams, 1,000 segments/s, p99",
          "ms",
          List.of(Goal.atMost(1.2, WITHOUT)));

  @Override
  public String name() {
    return "stopped-followers";
  }

  @Override
  public List<Question> questions() {
    return List.of(memory, healthy);
  }

  @Override
  public void measure(Stage stage, Results results) throws Exception {
    try (Journal without = stage.freshJournal();
        Journal journal = stage.freshJournal()) {
      ExactLoad.write(without.connections(), Journal.newKeyPrefix(), FOLLOWERS, SEGMENTS);
      String keyPrefix = Journal.newKeyPrefix();
      try (OpenStreams open = OpenStreams.open(journal.connections(), STREAMS);
          StoppedFollowers followers =
              new StoppedFollowers(journal.server().target(), keyPrefix, FOLLOWERS)) {
        System.out.println(open.count() + " streams are open");
        ExactLoad.write(journal.connections(), keyPrefix, followers.count(), SEGMENTS);
        Contest contest = new Contest(results);
        contest.add(healthy, WITHOUT, () -> healthyMillis(without, results.pacedTurn()));
        contest.add(healthy, Finding.OURS, () -> healthyMillis(journal, results.pacedTurn()));
        contest.hold();
        results.add(memory, WITHOUT, Processes.of(without).residentMegabytes());
        results.add(memory, Finding.OURS, Processes.of(journal).residentMegabytes());
      }
    }
  }

  private static double healthyMillis(Journal journal, Duration turn) {
    return new PacedLoad(journal.connections(), Journal.newKeyPrefix(), HEALTHY, PER_SECOND)
        .latencies(turn.plus(MORE_TIME))
        .millis(0.99);
  }
}

package io.agentjournal.it.benchmark;

import io.agentjournal.it.ServerProcess;
import java.nio.file.Files;
import java.util.List;

/** How long it takes from a commit until a follower has the segment. */
final class FollowerRow implements Row {
  private static final int CONNECTIONS = 4;
  private static final String LOAD = "50 streams, 2,000 segments/s, committed to followed, p99: ";

  private final Question here =
      new Question(name(), LOAD + "same server", "ms", List.of(Goal.atMost(5)));

  private final Question elsewhere =
      new Question(name(), LOAD + "through another server", "ms", List.of(Goal.atMost(60)));

  @Override
  public String name() {
    return "followers";
  }

  @Override
  public List<Question> questions() {
    return List.of(here, elsewhere);
  }

  @Override
  public void measure(Stage stage, Results results) throws Exception {
    Journal journal = stage.journal();
    try (ServerProcess beside =
            journal
                .server()
                .startBesideToMeasure(
                    Files.createDirectories(stage.directory().resolve("beside")));
        Connections others = new Connections(beside.target(), CONNECTIONS)) {
      FollowedLoad same = new FollowedLoad(journal.connections(), journal.connections());
      FollowedLoad other = new FollowedLoad(journal.connections(), others);
      Contest contest = new Contest(results);
      contest.add(here, Finding.OURS, () -> same.latencies(results.pacedTurn()).millis(0.99));
      contest.add(elsewhere, Finding.OURS, () -> other.latencies(results.pacedTurn()).millis(0.99));
      contest.hold();
    }
  }
}

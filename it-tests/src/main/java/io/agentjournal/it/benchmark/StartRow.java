package io.agentjournal.it.benchmark;

import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.SegmentServiceGrpc;
import java.util.List;

/** From {@code java -jar} on a data directory that is there until a call is answered. */
final class StartRow implements Row {
  private static final long SEGMENTS = 1_000_000;
  private static final String STREAM = "start-";
  private static final double GOAL_SECONDS = 1.5;
  private static final String KILLED = "after kill -9 of the server";

  private final Question question =
      new Question(
          name(),
          "started on an existing data directory, first call answered",
          "s",
          List.of(Goal.atMost(GOAL_SECONDS)));

  @Override
  public String name() {
    return "start";
  }

  @Override
  public List<Question> questions() {
    return List.of(question);
  }

  @Override
  public void measure(Stage stage, Results results) throws Exception {
    try (Journal journal = stage.freshJournal()) {
      ExactLoad.write(journal.connections(), STREAM, 1, SEGMENTS);
      Contest contest = new Contest(results);
      contest.add(
          question,
          Finding.OURS,
          () -> {
            int unused = journal.server().terminate();
            return secondsToAnswer(journal);
          });
      contest.add(
          question,
          KILLED,
          () -> {
            journal.server().kill9();
            return secondsToAnswer(journal);
          });
      contest.hold();
    }
  }

  private static double secondsToAnswer(Journal journal) {
    long start = System.nanoTime();
    journal.server().startAgain();
    try (Connections connections = new Connections(journal.server().target(), 1)) {
      var unused =
          SegmentServiceGrpc.newBlockingStub(connections.of(0))
              .getStream(GetStreamRequest.newBuilder().setStreamKey(STREAM + 0).build());
    }
    return (System.nanoTime() - start) / 1e9;
  }
}

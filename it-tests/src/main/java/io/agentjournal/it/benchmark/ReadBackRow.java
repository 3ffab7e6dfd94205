package io.agentjournal.it.benchmark;

import java.util.List;

/**
 * How fast stored segments are read, and whether the end of a long stream is as near as a short
 * one's.
 */
final class ReadBackRow implements Row {
  private static final String SHORT = "a stream of 1,000";

  private final Question all =
      new Question(
          name(),
          "4 streams of 1,000,000 segments, read from end to end",
          "segments/s",
          List.of(Goal.atLeast(1_000_000)));

  private final Question last =
      new Question(
          name(),
          "first message of the last 100 of a stream of 1,000,000 segments",
          "ms",
          List.of(Goal.atMost(1.2, SHORT)));

  @Override
  public String name() {
    return "read-back";
  }

  @Override
  public List<Question> questions() {
    return List.of(all, last);
  }

  @Override
  public void measure(Stage stage, Results results) throws Exception {
    ReadLoad reading = new ReadLoad(stage.journal());
    Contest contest = new Contest(results);
    contest.add(all, Finding.OURS, reading::segmentsPerSecond);
    contest.add(last, Finding.OURS, reading::firstOfLastMillisOfLong);
    contest.add(last, SHORT, reading::firstOfLastMillisOfShort);
    contest.hold();
  }
}

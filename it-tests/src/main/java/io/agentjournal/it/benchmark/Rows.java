package io.agentjournal.it.benchmark;

import java.util.List;

/**
 * All pieces of the benchmark, in the order in which they are measured: first those that leave a
 * processor to the compiler, so that what wants all of them is measured when that is done.
 */
final class Rows {
  private Rows() {}

  static List<Row> all() {
    return List.of(
        new AcknowledgedRow(50),
        new AcknowledgedRow(200),
        new StreamedRow(64),
        new StreamedRow(16),
        new StreamedRow(1),
        new AckLatencyRow(),
        new FollowerRow(),
        new ReadBackRow(),
        new TurnsRow(),
        new FullDatabaseRow(),
        new StoppedFollowersRow(),
        new IdleStreamsRow(),
        new AtRestRow(),
        new StartRow());
  }

  static List<Question> questions() {
    return all().stream().flatMap(row -> row.questions().stream()).toList();
  }
}

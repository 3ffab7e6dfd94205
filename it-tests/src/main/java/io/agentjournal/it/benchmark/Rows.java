package io.agentjournal.it.benchmark;

import java.util.List;

/** All pieces of the benchmark, in the order in which they are measured. */
final class Rows {
  private Rows() {}

  static List<Row> all() {
    return List.of(
        new StreamedRow(1),
        new StreamedRow(16),
        new StreamedRow(64),
        new AcknowledgedRow(50),
        new AcknowledgedRow(200),
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

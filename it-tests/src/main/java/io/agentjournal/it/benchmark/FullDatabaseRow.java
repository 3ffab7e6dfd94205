package io.agentjournal.it.benchmark;

import io.agentjournal.it.benchmark.SegmentLoad.Sending;
import io.agentjournal.it.benchmark.TurnLoad.Numbering;
import java.util.List;

/** The rows before once more, on an empty database and on one that has been used, by turns. */
final class FullDatabaseRow implements Row {
  private static final String EMPTY = "an empty database";
  private static final String STORED = "20,000,000 segments and 1,000,000 submissions stored: ";
  private static final List<Goal> AS_FAST = List.of(Goal.atLeast(0.9, EMPTY));
  private static final List<Goal> AS_SOON = List.of(Goal.atMost(1 / 0.9, EMPTY));

  private static final long SEGMENTS = 20_000_000;
  private static final long SUBMISSIONS = 1_000_000;
  private static final int STREAMS = 200;
  private static final long SEGMENTS_OF_A_STREAM = 10_000;
  private static final long SUBMISSIONS_AT_A_TIME = 100_000;

  private final Question streamed1 = question("1 segment a message, not waiting", "segments/s");
  private final Question streamed16 = question("16 segments a message", "segments/s");
  private final Question streamed64 = question("64 segments a message", "segments/s");
  private final Question acknowledged50 = question("50 streams, each acknowledged", "segments/s");
  private final Question acknowledged200 = question("200 streams, each acknowledged", "segments/s");
  private final Question read = question("read from end to end", "segments/s");
  private final Question turns = question("whole turns", "turns/s");

  private final Question latency =
      new Question(name(), STORED + "10,000 segments/s acknowledged, p50", "ms", AS_SOON);

  private Question question(String what, String unit) {
    return new Question(name(), STORED + what, unit, AS_FAST);
  }

  @Override
  public String name() {
    return "full";
  }

  @Override
  public List<Question> questions() {
    return List.of(
        streamed1, streamed16, streamed64, acknowledged50, acknowledged200, latency, read, turns);
  }

  @Override
  public void measure(Stage stage, Results results) throws Exception {
    try (Journal empty = stage.freshJournal();
        Journal full = stage.freshJournal()) {
      fill(full, results.options());
      sayHowFull(results);
      List<Side> sides =
          List.of(
              Side.of(Finding.OURS, full, results.options()),
              Side.of(EMPTY, empty, results.options()));
      Contest contest = new Contest(results);
      addStreamed(contest, results, sides, streamed1, 1);
      addStreamed(contest, results, sides, streamed16, 16);
      addStreamed(contest, results, sides, streamed64, 64);
      addAcknowledged(contest, results, sides, acknowledged50, 50);
      addAcknowledged(contest, results, sides, acknowledged200, STREAMS);
      for (Side side : sides) {
        contest.add(
            latency,
            side.who(),
            () -> AckLatencyRow.latencies(side.journal(), results.pacedTurn()).millis(0.5));
      }
      for (Side side : sides) {
        contest.add(read, side.who(), side.reading()::segmentsPerSecond);
      }
      for (Side side : sides) {
        contest.add(
            turns, side.who(), () -> side.turns().perSecond(side.numbering(), results.turn()));
      }
      contest.hold();
    }
  }

  /** One of the two databases, and what is done with it. */
  private record Side(
      String who, Journal journal, ReadLoad reading, TurnLoad turns, Numbering numbering) {
    static Side of(String who, Journal journal, BenchmarkOptions options) throws Exception {
      SubmissionCopies submissions = SubmissionCopies.running(journal);
      long most = (options.rounds() + 1) * TurnsRow.PER_SECOND * options.turn().toSeconds();
      submissions.make(0, most);
      return new Side(
          who,
          journal,
          new ReadLoad(journal),
          new TurnLoad(journal, submissions, false),
          new Numbering(0, most));
    }
  }

  /** A smaller run must not pass for the one that the questions speak of. */
  private void sayHowFull(Results results) {
    BenchmarkOptions options = results.options();
    if (options.segments() < SEGMENTS || options.submissions() < SUBMISSIONS) {
      String why =
          "only %,d segments and %,d submissions"
              .formatted(options.segments(), options.submissions());
      questions().forEach(question -> results.notMeasured(question, "as many as that", why));
    }
  }

  private static void fill(Journal journal, BenchmarkOptions options) throws Exception {
    long start = System.nanoTime();
    for (long stored = 0; stored < options.segments(); stored += STREAMS * SEGMENTS_OF_A_STREAM) {
      ExactLoad.write(journal.connections(), Journal.newKeyPrefix(), STREAMS, SEGMENTS_OF_A_STREAM);
    }
    SubmissionCopies submissions = SubmissionCopies.settled(journal);
    for (long made = 0; made < options.submissions(); made += SUBMISSIONS_AT_A_TIME) {
      submissions.make(made, Math.min(options.submissions(), made + SUBMISSIONS_AT_A_TIME));
    }
    journal.tables().execute("VACUUM ANALYZE");
    // Else what was written just now would go to the disk while others wait for theirs.
    journal.tables().execute("CHECKPOINT");
    System.out.printf(
        "%,d segments and %,d submissions are stored after %,d s%n",
        options.segments(), options.submissions(), (System.nanoTime() - start) / 1_000_000_000);
  }

  private static void addStreamed(
      Contest contest,
      Results results,
      List<Side> sides,
      Question question,
      int segmentsPerMessage) {
    for (Side side : sides) {
      contest.add(
          question,
          side.who(),
          () ->
              side.journal()
                  .write(Sending.STREAMED, STREAMS, segmentsPerMessage, results.turn())
                  .perSecond());
    }
  }

  private static void addAcknowledged(
      Contest contest, Results results, List<Side> sides, Question question, int streams) {
    for (Side side : sides) {
      contest.add(
          question,
          side.who(),
          () -> side.journal().write(Sending.ACKNOWLEDGED, streams, 1, results.turn()).perSecond());
    }
  }
}

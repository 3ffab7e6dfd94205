package io.agentjournal.it.benchmark;

import io.agentjournal.it.benchmark.TurnLoad.Numbering;
import java.util.List;

/** Whole turns: begin, started, 200 segments, consumed, commit. */
final class TurnsRow implements Row {
  /** More turns than anybody does in a second. */
  static final long PER_SECOND = 4000;

  private static final List<Goal> GOALS = List.of(Goal.atLeast(0.8, BareTurns.NAME));

  private final Question together =
      new Question(name(), "whole turns, 200 segments in one message", "turns/s", GOALS);

  private final Question apart =
      new Question(name(), "whole turns, 200 segments in a message each", "turns/s", GOALS);

  @Override
  public String name() {
    return "turns";
  }

  @Override
  public List<Question> questions() {
    return List.of(together, apart);
  }

  @Override
  public void measure(Stage stage, Results results) throws Exception {
    Journal journal = stage.journal();
    SubmissionCopies submissions = SubmissionCopies.running(journal);
    BenchmarkOptions options = results.options();
    long most = PER_SECOND * 3 * (options.rounds() + 1) * options.turn().toSeconds();
    submissions.make(0, most);
    RecordedTurn recorded = RecordedTurn.of(journal, submissions);
    System.out.printf(
        "a turn is %d transactions of %d statements%n",
        recorded.transactions().size(),
        recorded.transactions().stream().mapToInt(List::size).sum());
    Numbering numbering = new Numbering(RecordedTurn.used(), most);
    TurnLoad inOneMessage = new TurnLoad(journal, submissions, false);
    TurnLoad inMessages = new TurnLoad(journal, submissions, true);
    BareTurns bare = new BareTurns(journal.tables(), submissions, recorded);
    Contest contest = new Contest(results);
    contest.add(together, Finding.OURS, () -> inOneMessage.perSecond(numbering, options.turn()));
    contest.add(apart, Finding.OURS, () -> inMessages.perSecond(numbering, options.turn()));
    contest.add(questions(), BareTurns.NAME, () -> bare.perSecond(numbering, options.turn()));
    contest.hold();
  }
}

package io.agentjournal.it.benchmark;

import java.util.ArrayList;
import java.util.List;

/**
 * Those who do the same, by turns: A B C, A B C. A first round does not count, so that nobody pays
 * for the compiler.
 */
final class Contest {
  private final Results results;
  private final List<Entry> entries = new ArrayList<>();

  Contest(Results results) {
    this.results = results;
  }

  /** Does it once and tells the figure. */
  interface Contender {
    double figure() throws Exception;
  }

  /** Starts somebody else, or says why that cannot be. */
  interface Starting<T> {
    T start() throws Exception;
  }

  /** Lets somebody else do it once and tells the figure. */
  interface Turn<T> {
    double figure(T who) throws Exception;
  }

  /**
   * @param questions to which the same figure is the answer
   */
  private record Entry(List<Question> questions, String who, Contender contender) {}

  void add(Question question, String who, Contender contender) {
    add(List.of(question), who, contender);
  }

  void add(List<Question> questions, String who, Contender contender) {
    entries.add(new Entry(questions, who, contender));
  }

  <T> void addIfInstalled(Question question, String who, Starting<T> starting, Turn<T> turn)
      throws Exception {
    addIfInstalled(List.of(question), who, starting, turn);
  }

  <T> void addIfInstalled(List<Question> questions, String who, Starting<T> starting, Turn<T> turn)
      throws Exception {
    try {
      T other = starting.start();
      entries.add(new Entry(questions, who, () -> turn.figure(other)));
    } catch (NotInstalled e) {
      questions.forEach(question -> results.notMeasured(question, who, e.why()));
    }
  }

  void hold() {
    for (int round = -1; round < results.options().rounds(); round++) {
      results.next(round < 0);
      entries.removeIf(entry -> !takesPart(entry));
    }
  }

  /** Whoever fails is out, and the table says so; the others go on. */
  private boolean takesPart(Entry entry) {
    try {
      double figure = entry.contender().figure();
      entry.questions().forEach(question -> results.add(question, entry.who(), figure));
      return true;
    } catch (Exception e) {
      results.failed(entry.questions(), entry.who(), e);
      return false;
    }
  }
}

package io.agentjournal.it.benchmark;

import java.util.List;

/** One piece of the benchmark, which can be asked for by its name alone. */
interface Row {
  String name();

  /** What it answers, whether or not it is measured. */
  List<Question> questions();

  /** Starts from the stage what it needs, and tells each figure as soon as it has it. Blocks. */
  void measure(Stage stage, Results results) throws Exception;
}

package io.agentjournal.it.benchmark;

import java.util.List;

/**
 * What is asked of us and of the others.
 *
 * @param row the name of the piece that answers it
 * @param what unique, for people
 * @param unit of all figures
 */
record Question(String row, String what, String unit, List<Goal> goals) {
  Question {
    goals = List.copyOf(goals);
  }
}

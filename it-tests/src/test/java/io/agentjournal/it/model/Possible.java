package io.agentjournal.it.model;

import java.util.List;

/**
 * One way in which a call may end: its answer, and the world after it.
 *
 * @param then what is still to happen, now or after what others do meanwhile
 */
record Possible(Answer answer, World after, List<Step> then) {
  Possible {
    then = List.copyOf(then);
  }

  Possible(Answer answer, World after) {
    this(answer, after, List.of());
  }
}

package io.agentjournal.run;

import io.agentjournal.refusal.Refusal.InvalidField;
import java.util.EnumSet;
import java.util.Set;

/**
 * Which events of a run to read: seq in [start, end], of these kinds.
 *
 * @param lastSeq the last one, itself included
 */
record EventFilter(long startSeq, long lastSeq, Set<EventKind> kinds) {
  static final EventFilter ALL = new EventFilter(0, Long.MAX_VALUE, EnumSet.allOf(EventKind.class));

  EventFilter {
    kinds = Set.copyOf(kinds);
    if (startSeq < 0) {
      throw InvalidField.ofValue("start_seq", Long.toString(startSeq), "0 or more is possible");
    }
  }
}

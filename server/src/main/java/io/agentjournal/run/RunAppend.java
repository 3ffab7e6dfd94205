package io.agentjournal.run;

import io.agentjournal.key.RunId;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.TooLarge;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Events that are stored all or none.
 *
 * @param claimId null: in nobody's name
 */
record RunAppend(RunId run, List<NewEvent> events, AppendMode mode, @Nullable String claimId) {
  static final int MAX_EVENTS = 1_000;
  private static final int OVERHEAD_BYTES = 200;

  RunAppend {
    events = List.copyOf(events);
    if (events.isEmpty()) {
      throw InvalidField.because("events", "none");
    }
    if (events.size() > MAX_EVENTS) {
      throw new TooLarge("events", events.size(), MAX_EVENTS);
    }
    Set<EventKey> keys = new HashSet<>();
    for (NewEvent event : events) {
      if (events.size() > 1 && !keys.add(event.key())) {
        throw InvalidField.ofValue("events", event.key().toString(), "twice in one request");
      }
    }
  }

  /** Of the memory that it holds until it is stored. */
  long sizeBytes() {
    long size = 0;
    for (NewEvent event : events) {
      size += event.payload().size() + OVERHEAD_BYTES;
    }
    return size;
  }
}

package io.agentjournal.run;

import java.util.ArrayList;
import java.util.List;

/** How far an AppendEventsSession call got, and what of it its client was not told. */
final class SessionProgress {
  private final List<Long> untoldUnchanged = new ArrayList<>();
  private long durableEvents;
  private long inserted;
  private long replaced;
  private boolean isUntold;

  /** The next so many events of the call are durable. */
  void add(int events, Appended appended) {
    for (int unchanged : appended.unchanged()) {
      untoldUnchanged.add(durableEvents + unchanged);
    }
    durableEvents += events;
    inserted += appended.inserted();
    replaced += appended.replaced();
    isUntold = true;
  }

  void told() {
    untoldUnchanged.clear();
    isUntold = false;
  }

  boolean isUntold() {
    return isUntold;
  }

  long durableEvents() {
    return durableEvents;
  }

  long inserted() {
    return inserted;
  }

  long replaced() {
    return replaced;
  }

  /** Numbers of events that were recorded already. */
  List<Long> untoldUnchanged() {
    return untoldUnchanged;
  }
}

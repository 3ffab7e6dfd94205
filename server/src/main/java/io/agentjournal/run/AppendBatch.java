package io.agentjournal.run;

import io.agentjournal.key.RunId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a lane commits together: bounded, and no two appends of it have an event in common. */
final class AppendBatch {
  private static final long MAX_BYTES = 8 << 20;
  private static final int MAX_EVENTS = 4_000;

  private final int maxAppends;
  private final List<WaitingAppend> taken = new ArrayList<>();
  private final List<WaitingAppend> leftOver = new ArrayList<>();
  private final Set<RunEvent> events = new HashSet<>();
  private final Set<RunId> heldUp = new HashSet<>();
  private long bytes;

  private record RunEvent(RunId run, EventKey event) {}

  AppendBatch(int maxAppends) {
    this.maxAppends = maxAppends;
  }

  boolean isEmpty() {
    return taken.isEmpty();
  }

  /** One append always has room, however large it is. */
  boolean isFull() {
    return taken.size() >= maxAppends || bytes >= MAX_BYTES || events.size() >= MAX_EVENTS;
  }

  /** Takes it, or leaves it over when it has to come after one of this batch. */
  void add(WaitingAppend waiting) {
    RunAppend append = waiting.append();
    List<RunEvent> added =
        append.events().stream().map(event -> new RunEvent(append.run(), event.key())).toList();
    if (isFull() || heldUp.contains(append.run()) || added.stream().anyMatch(events::contains)) {
      heldUp.add(append.run());
      leftOver.add(waiting);
      return;
    }
    events.addAll(added);
    bytes += append.sizeBytes();
    taken.add(waiting);
  }

  List<WaitingAppend> taken() {
    return taken;
  }

  /** A batch that begins with what this one left over, in the order in which it came. */
  AppendBatch next() {
    AppendBatch next = new AppendBatch(maxAppends);
    leftOver.forEach(next::add);
    return next;
  }
}

package io.agentjournal.run;

import io.agentjournal.key.RunId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a lane commits together: bounded, and no two appends of it have an event in common. */
final class AppendBatch {
  private static final long MAX_BYTES = 8 << 20;
  private static final int MAX_EVENTS = 4_000;

  private final int maxAppends;
  private final List<WaitingAppend> taken = new ArrayList<>();
  private final List<WaitingAppend> leftOver = new ArrayList<>();
  private final Map<RunId, List<RunAppend>> takenOf = new HashMap<>();
  private final Set<RunId> heldUp = new HashSet<>();
  private int events;
  private long bytes;

  AppendBatch(int maxAppends) {
    this.maxAppends = maxAppends;
  }

  boolean isEmpty() {
    return taken.isEmpty();
  }

  /** One append always has room, however large it is. */
  boolean isFull() {
    return taken.size() >= maxAppends || bytes >= MAX_BYTES || events >= MAX_EVENTS;
  }

  /** Takes it, or leaves it over when it has to come after one of this batch. */
  void add(WaitingAppend waiting) {
    RunAppend append = waiting.append();
    if (isFull() || heldUp.contains(append.run()) || hasOneOf(append)) {
      heldUp.add(append.run());
      leftOver.add(waiting);
      return;
    }
    takenOf.computeIfAbsent(append.run(), run -> new ArrayList<>(1)).add(append);
    events += append.events().size();
    bytes += append.sizeBytes();
    taken.add(waiting);
  }

  private boolean hasOneOf(RunAppend append) {
    List<RunAppend> others = takenOf.get(append.run());
    if (others == null) {
      return false;
    }
    Set<EventKey> keys = new HashSet<>();
    append.events().forEach(event -> keys.add(event.key()));
    return others.stream()
        .flatMap(other -> other.events().stream())
        .anyMatch(event -> keys.contains(event.key()));
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

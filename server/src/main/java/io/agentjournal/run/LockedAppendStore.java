package io.agentjournal.run;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.RunId;
import io.agentjournal.refusal.Refusal;
import io.agentjournal.refusal.Refusal.EventConflict;
import io.agentjournal.run.AppendOutcome.Busy;
import io.agentjournal.run.AppendOutcome.Done;
import io.agentjournal.run.AppendOutcome.Refused;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The appends of one transaction in one namespace, once their runs are locked. */
final class LockedAppendStore {
  private final RunHeads heads;
  private final AppendedEventRows events;
  private final Namespace namespace;
  private final Map<RunId, RunHead> locked;
  private final IdentityHashMap<RunAppend, AppendOutcome> outcomes = new IdentityHashMap<>();
  private final List<PlacedAppend> placed = new ArrayList<>();
  private final WrittenEvents written = new WrittenEvents();

  LockedAppendStore(
      RunHeads heads, AppendedEventRows events, Namespace namespace, Map<RunId, RunHead> locked) {
    this.heads = heads;
    this.events = events;
    this.namespace = namespace;
    this.locked = locked;
  }

  /** The outcome of each, by identity. A run that is not locked here is busy. */
  IdentityHashMap<RunAppend, AppendOutcome> write(Connection connection, List<RunAppend> appends)
      throws SQLException {
    int mostEventsOfOneRun = place(appends);
    insert(connection);
    Set<RunId> changed = new HashSet<>();
    for (PlacedAppend append : placed) {
      AppendOutcome outcome = outcomeOf(connection, append);
      outcomes.put(append.append(), outcome);
      if (outcome instanceof Done done && done.appended().changedAnything()) {
        changed.add(append.append().run());
      }
    }
    if (!changed.isEmpty()) {
      heads.advance(connection, namespace, changed, mostEventsOfOneRun);
    }
    return outcomes;
  }

  private int place(List<RunAppend> appends) {
    Map<RunId, Integer> eventCounts = new HashMap<>();
    int mostEventsOfOneRun = 0;
    for (RunAppend append : appends) {
      RunHead head = locked.get(append.run());
      if (head == null) {
        outcomes.put(append, new Busy());
        continue;
      }
      try {
        head.fence().requireWritableBy(append.claimId());
      } catch (Refusal refusal) {
        outcomes.put(append, new Refused(refusal));
        continue;
      }
      int before = eventCounts.getOrDefault(append.run(), 0);
      int after = before + append.events().size();
      placed.add(PlacedAppend.at(head.nextPosition() + before, append));
      eventCounts.put(append.run(), after);
      mostEventsOfOneRun = Math.max(mostEventsOfOneRun, after);
    }
    return mostEventsOfOneRun;
  }

  private void insert(Connection connection) throws SQLException {
    List<PlacedEvent> replacing = new ArrayList<>();
    List<PlacedEvent> keeping = new ArrayList<>();
    for (PlacedAppend append : placed) {
      boolean replaces = append.append().mode() == AppendMode.REPLACE;
      (replaces ? replacing : keeping).addAll(append.events());
    }
    if (!replacing.isEmpty()) {
      written.add(events.insertOrReplace(connection, namespace, replacing));
    }
    if (!keeping.isEmpty()) {
      written.add(events.insertIfAbsent(connection, namespace, keeping));
    }
  }

  private AppendOutcome outcomeOf(Connection connection, PlacedAppend append) throws SQLException {
    if (append.append().mode() == AppendMode.REFUSE_OTHER) {
      for (PlacedEvent event : append.events()) {
        if (!written.contains(event) && !events.isEqual(connection, event)) {
          events.takeBack(connection, append.events().stream().filter(written::contains).toList());
          EventKey key = event.event().key();
          return new Refused(new EventConflict(event.run().id(), key.seq(), key.kind().word()));
        }
      }
    }
    return new Done(written.countsOf(append));
  }
}

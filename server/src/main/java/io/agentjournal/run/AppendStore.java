package io.agentjournal.run;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.RunId;
import io.agentjournal.refusal.Refusal.RunNotFound;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What one transaction does with the appends of many runs, of which no two have an event in common:
 *
 * <ol>
 *   <li>locks the runs, leaving out those that somebody else has locked, and makes rows for those
 *       that nobody has opened;
 *   <li>judges each append by its run's claim, under the lock;
 *   <li>gives each event the next place in its run and writes them all, those that replace in one
 *       statement and those that keep what is there in another;
 *   <li>decides whether what was kept is a repeat or a conflict; of an append with a conflict it
 *       takes the rest back;
 *   <li>advances the runs that were changed.
 * </ol>
 *
 * The first is here, the others are {@link LockedAppendStore}. Stateless and thread-safe.
 */
final class AppendStore {
  private final RunHeads heads = new RunHeads();
  private final AppendedEventRows events = new AppendedEventRows();

  /**
   * The outcome of each append, in their order. Waits for no lock but that of a new run's maker.
   */
  List<AppendOutcome> together(Connection connection, List<RunAppend> appends) throws SQLException {
    Map<Namespace, List<RunAppend>> byNamespace =
        appends.stream()
            .collect(
                Collectors.groupingBy(
                    append -> append.run().namespace(), LinkedHashMap::new, Collectors.toList()));
    IdentityHashMap<RunAppend, AppendOutcome> outcomes = new IdentityHashMap<>();
    for (Map.Entry<Namespace, List<RunAppend>> tenant : byNamespace.entrySet()) {
      Map<RunId, RunHead> locked = lockFree(connection, tenant.getKey(), tenant.getValue());
      outcomes.putAll(
          new LockedAppendStore(heads, events, tenant.getKey(), locked)
              .write(connection, tenant.getValue()));
    }
    return appends.stream().map(outcomes::get).toList();
  }

  /** Waits for the run's lock, and therefore never finds it busy. */
  AppendOutcome alone(Connection connection, RunAppend append) throws SQLException {
    RunId run = append.run();
    RunHead head = heads.lock(connection, run);
    while (head == null) {
      if (append.claimId() != null) {
        return new AppendOutcome.Refused(new RunNotFound(run.id()));
      }
      // Made by another transaction between the two statements, or deleted again: so look again.
      head = heads.create(connection, run.namespace(), Set.of(run)).get(run);
      head = head == null ? heads.lock(connection, run) : head;
    }
    return new LockedAppendStore(heads, events, run.namespace(), Map.of(run, head))
        .write(connection, List.of(append))
        .values()
        .iterator()
        .next();
  }

  private Map<RunId, RunHead> lockFree(
      Connection connection, Namespace namespace, List<RunAppend> appends) throws SQLException {
    Set<RunId> runs = appends.stream().map(RunAppend::run).collect(Collectors.toSet());
    Map<RunId, RunHead> locked = heads.lockFree(connection, namespace, runs);
    // What is left is locked by somebody, or is not there. An append that names a claim makes none.
    Set<RunId> missing =
        appends.stream()
            .filter(append -> append.claimId() == null)
            .map(RunAppend::run)
            .filter(run -> !locked.containsKey(run))
            .collect(Collectors.toSet());
    if (!missing.isEmpty()) {
      locked.putAll(heads.create(connection, namespace, missing));
    }
    return locked;
  }
}

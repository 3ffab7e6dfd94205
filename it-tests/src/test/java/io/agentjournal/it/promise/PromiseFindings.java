package io.agentjournal.it.promise;

import io.agentjournal.it.Summary;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** What the promise test counts. Used by one thread. */
final class PromiseFindings {
  private final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
  long submissions;
  long turns;
  long committedTwice;
  long notCommitted;
  long lostSegments;
  long repeatedEffects;
  long missingEffects;
  long unknownOutcomes;
  long zombieWrites;

  /** Asked again although the response was stored whole. */
  long modelCallsRepeated;

  /** Plans that told to go on with a response that was stored, wholly or partly. */
  long modelCallsSaved;

  long tokensSaved;
  long readerConnections;

  void count(Fault fault) {
    faults.merge(fault, 1L, Long::sum);
  }

  long count() {
    return faults.values().stream().mapToLong(Long::longValue).sum();
  }

  void write() {
    Summary summary =
        new Summary("promise")
            .put("faults", count())
            .put("turns", turns)
            .put("committed_twice", committedTwice)
            .put("lost_segments", lostSegments)
            .put("repeated_effects", repeatedEffects)
            .put("zombie_writes", zombieWrites)
            .put("model_calls_saved", modelCallsSaved)
            .put("model_calls_repeated", modelCallsRepeated)
            .put("tokens_saved", tokensSaved)
            .put("submissions", submissions)
            .put("turns_not_committed", notCommitted)
            .put("missing_effects", missingEffects)
            .put("outcomes_marked_unknown", unknownOutcomes)
            .put("reader_connections", readerConnections);
    for (Fault fault : Fault.values()) {
      summary.put("fault_" + fault.name().toLowerCase(Locale.ROOT), faults.getOrDefault(fault, 0L));
    }
    summary.write();
  }
}

package io.agentjournal.it.run;

import io.agentjournal.it.Summary;

/** What the crash test counts. Used by one thread. */
final class CrashFindings {
  long crashPoints;
  long zombiesRefused;

  /** Bought although the journal had acknowledged it. */
  long decisionsRebought;

  /** Bought, and the process was dead before the journal had it: no journal can help that. */
  long decisionsLostUnrecorded;

  long effectsRepeated;
  long effectsMissing;

  void add(CrashFindings others) {
    crashPoints += others.crashPoints;
    zombiesRefused += others.zombiesRefused;
    decisionsRebought += others.decisionsRebought;
    decisionsLostUnrecorded += others.decisionsLostUnrecorded;
    effectsRepeated += others.effectsRepeated;
    effectsMissing += others.effectsMissing;
  }

  void write() {
    new Summary("run-journal")
        .put("crash_points", crashPoints)
        .put("zombies_refused", zombiesRefused)
        .put("decisions_rebought", decisionsRebought)
        .put("decisions_lost_unrecorded", decisionsLostUnrecorded)
        .put("effects_repeated", effectsRepeated)
        .put("effects_missing", effectsMissing)
        .write();
  }
}

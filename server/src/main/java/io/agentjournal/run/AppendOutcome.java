package io.agentjournal.run;

import io.agentjournal.refusal.Refusal;

/** What a transaction did with one of its appends. */
sealed interface AppendOutcome {
  record Done(Appended appended) implements AppendOutcome {}

  /** Nothing of it is stored. */
  record Refused(Refusal refusal) implements AppendOutcome {}

  /** Somebody else has the run locked: nothing was decided. */
  record Busy() implements AppendOutcome {}
}

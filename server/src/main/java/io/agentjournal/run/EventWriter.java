package io.agentjournal.run;

import io.agentjournal.key.RunId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who appends to which run, and what becomes of events that are there.
 *
 * @param claimId null: in nobody's name
 */
record EventWriter(RunId run, AppendMode mode, @Nullable String claimId) {
  RunAppend append(List<NewEvent> events) {
    return new RunAppend(run, events, mode, claimId);
  }
}

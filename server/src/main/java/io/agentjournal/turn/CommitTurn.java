package io.agentjournal.turn;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.slot.TurnFacts;
import io.agentjournal.submission.Settlement;
import io.agentjournal.transcript.NewEntries;
import io.agentjournal.transcript.NewEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What CommitTurnJournal asks for.
 *
 * @param committedLeafId the leaf after the turn's output; empty: before the first entry; null: the
 *     last of the entries, else the session's leaf
 * @param expectedNextIndex null: not said
 * @param isFinal this was the submission's last turn
 * @param settlement null: the submission goes on
 */
record CommitTurn(
    AttemptId attempt,
    String turnId,
    NewEntries entries,
    @Nullable String committedLeafId,
    @Nullable Long expectedNextIndex,
    boolean isFinal,
    @Nullable Settlement settlement) {
  CommitTurn {
    Identifier.check("turn_id", turnId);
  }

  /** Whether the stored commit is this one, as far as its own facts tell. */
  boolean matches(TurnFacts.@Nullable Committed stored) {
    return stored != null
        && stored.attemptId().equals(attempt.id())
        && stored.isFinal() == isFinal
        && LeafIds.matches(wantedLeafId(), stored.leafId());
  }

  private @Nullable String wantedLeafId() {
    List<NewEntry> added = entries.entries();
    if (committedLeafId != null || added.isEmpty()) {
      return committedLeafId;
    }
    return added.get(added.size() - 1).entryId();
  }
}

package io.agentjournal.turn;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.slot.TurnFacts;
import org.jspecify.annotations.Nullable;

/**
 * What BeginTurnJournal asks for.
 *
 * @param expectedRevision null: whatever it is
 * @param start null: the model is not asked yet
 */
record BeginTurn(
    AttemptId attempt,
    String turnId,
    String operationId,
    @Nullable Long expectedRevision,
    @Nullable ProviderStart start,
    @Nullable String traceparent) {
  BeginTurn {
    Identifier.check("turn_id", turnId);
    Identifier.checkText("operation_id", operationId, Identifier.MAX_BYTES);
  }

  TurnFacts.Begun begun() {
    return new TurnFacts.Begun(attempt.id(), operationId);
  }

  /** Whether the turn was begun by this call before, whatever became of it since. */
  boolean repeats(@Nullable TurnFacts turn) {
    return turn != null
        && turn.begun().equals(begun())
        && (expectedRevision == null || expectedRevision == turn.revision() - 1)
        && (start == null || start.repeats(turn));
  }
}

package io.agentjournal.turn;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.key.StreamKey;
import io.agentjournal.slot.TurnFacts;
import org.jspecify.annotations.Nullable;

/**
 * What MarkStreamConsumed asks for.
 *
 * @param expectedNextIndex null: not said
 */
record ConsumeStream(
    AttemptId attempt, String turnId, StreamKey stream, @Nullable Long expectedNextIndex) {
  ConsumeStream {
    Identifier.check("turn_id", turnId);
  }

  TurnFacts.Consumed consumed() {
    return new TurnFacts.Consumed(attempt.id());
  }

  boolean namesStreamOf(TurnFacts turn) {
    TurnFacts.Started started = turn.started();
    return started != null && started.streamKey().equals(stream.key());
  }

  /** Whether the stream was stamped by this call before. */
  boolean repeats(@Nullable TurnFacts turn) {
    return turn != null && consumed().equals(turn.consumed()) && namesStreamOf(turn);
  }
}

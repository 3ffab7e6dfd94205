package io.agentjournal.turn;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.key.StreamKey;
import io.agentjournal.slot.TurnFacts;
import org.jspecify.annotations.Nullable;

/** The model is asked, and its response goes to this stream. */
record ProviderStart(AttemptId attempt, String turnId, StreamKey stream, String contentType) {
  private static final int MAX_CONTENT_TYPE_BYTES = 256;

  ProviderStart {
    Identifier.check("turn_id", turnId);
    if (!contentType.isEmpty()) {
      Identifier.check("content_type", contentType, MAX_CONTENT_TYPE_BYTES);
    }
  }

  TurnFacts.Started started() {
    return new TurnFacts.Started(attempt.id(), stream.key(), contentType);
  }

  /** Whether the model was asked by this call before. */
  boolean repeats(@Nullable TurnFacts turn) {
    return turn != null && started().equals(turn.started());
  }
}

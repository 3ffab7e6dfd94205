package io.agentjournal.slot;

import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The slot's row: the submission's current turn and whose it is.
 *
 * @param kind DISPATCH or DIRECT, as the submission's
 * @param attemptId the attempt that began the turn or took it over
 * @param traceparent of the call that began the turn
 */
public record Slot(
    SubmissionId submission,
    String sessionKey,
    String kind,
    String attemptId,
    TurnFacts turn,
    @Nullable String traceparent,
    Instant updatedAt) {

  public Phase phase() {
    return turn.phase();
  }

  /** The stream of a turn in which the model was asked. */
  public StreamKey requireStreamKey() {
    StreamKey key = streamKey();
    if (key == null) {
      throw new IllegalStateException(phase() + " without a stream: " + submission);
    }
    return key;
  }

  /** The stream of the model's response, if the model was asked. */
  public @Nullable StreamKey streamKey() {
    TurnFacts.Started started = turn.started();
    return started == null ? null : new StreamKey(submission.namespace(), started.streamKey());
  }
}

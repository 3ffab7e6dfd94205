package io.agentjournal.segment;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a writer ends a stream.
 *
 * @param state COMPLETE with a finish reason, or FAILED with a failure
 * @param expectedNextIndex how many segments the writer knows of; null: not said
 */
record StreamEnding(
    StreamState state,
    @Nullable String finishReason,
    @Nullable String failureCode,
    @Nullable String failureMessage,
    @Nullable Long expectedNextIndex) {

  /**
   * A stream that the slot completed has no finish reason yet; any that its writer tells then is
   * the same end.
   */
  boolean isAlreadyEndOf(Head head) {
    if (state == StreamState.COMPLETE) {
      return head.state() == StreamState.COMPLETE
          && (head.finishReason() == null || head.finishReason().equals(finishReason));
    }
    return head.state() == state
        && Objects.equals(head.failureCode(), failureCode)
        && Objects.equals(head.failureMessage(), failureMessage);
  }
}

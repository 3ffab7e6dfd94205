package io.agentjournal.submission;

import io.agentjournal.key.Identifier;
import io.agentjournal.payload.Payload;
import io.agentjournal.refusal.Refusal.InvalidField;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something to wait for.
 *
 * @param timeout null: for ever
 */
record NewWait(String waitId, Payload question, @Nullable Duration timeout) {
  /** A question, and an answer. */
  static final int MAX_PAYLOAD_BYTES = 64 << 10;

  private static final Duration LONGEST = Duration.ofDays(3_650);

  NewWait {
    Identifier.check("wait_id", waitId);
    if (timeout != null && (timeout.isNegative() || timeout.compareTo(LONGEST) > 0)) {
      throw InvalidField.ofValue("waits.timeout", timeout.toString(), "not from 0 to ten years");
    }
  }
}

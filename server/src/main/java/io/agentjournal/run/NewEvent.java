package io.agentjournal.run;

import io.agentjournal.payload.Payload;
import io.agentjournal.refusal.Refusal.InvalidField;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event to append.
 *
 * @param iterationIndex of an iteration whose payload tells it
 * @param createdAt null: when it is written
 */
record NewEvent(
    EventKey key, Payload payload, @Nullable Long iterationIndex, @Nullable Instant createdAt) {
  NewEvent {
    if (key.seq() < 0) {
      throw InvalidField.ofValue("seq", Long.toString(key.seq()), "0 or more is possible");
    }
  }
}

package io.agentjournal.payload;

import org.jspecify.annotations.Nullable;

/**
 * A payload as a unary answer shows it.
 *
 * @param payload null: larger than {@link Payload#MAX_INLINE_BYTES} and left out
 */
public record StoredPayload(@Nullable Payload payload, long sizeBytes) {
  public static StoredPayload whole(Payload payload) {
    return new StoredPayload(payload, payload.size());
  }
}

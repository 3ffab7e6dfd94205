package io.agentjournal.submission;

import io.agentjournal.payload.Payload;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that a submission waits for, or waited for.
 *
 * @param askedAt null: its answer came first
 * @param expiresAt null: never
 * @param answeredAt null: not answered yet, as is answeredBy
 */
public record Wait(
    String waitId,
    Payload question,
    @Nullable Instant askedAt,
    @Nullable Instant expiresAt,
    @Nullable Instant answeredAt,
    Payload answer,
    @Nullable String answeredBy) {

  int sizeBytes() {
    return question.size() + answer.size();
  }

  boolean isAnsweredWith(Answer other) {
    return answeredAt != null && answer.equals(other.payload()) && other.by().equals(answeredBy);
  }
}

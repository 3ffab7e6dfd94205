package io.agentjournal.submission;

import com.google.protobuf.ByteString;
import io.agentjournal.key.Identifier;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.payload.Payload;
import io.agentjournal.refusal.Refusal.InvalidField;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A submission to admit.
 *
 * @param delay how long nobody gets it
 */
record NewSubmission(
    SubmissionId id,
    SessionKey session,
    SubmissionKind kind,
    String queue,
    Payload input,
    int maxAttempts,
    Duration timeout,
    Duration delay,
    @Nullable String traceparent) {
  static final String DEFAULT_QUEUE = "default";
  static final int DEFAULT_MAX_ATTEMPTS = 10;
  static final Duration DEFAULT_TIMEOUT = Duration.ofHours(1);

  private static final int MOST_ATTEMPTS = 1_000;
  private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(30);
  private static final Duration LONGEST_DELAY = Duration.ofDays(365);

  NewSubmission {
    Identifier.check("queue", queue);
    if (maxAttempts < 1 || maxAttempts > MOST_ATTEMPTS) {
      throw InvalidField.ofValue("max_attempts", Integer.toString(maxAttempts), "not 1 to 1,000");
    }
    if (timeout.compareTo(SHORTEST_TIMEOUT) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
      throw InvalidField.ofValue("timeout", timeout.toString(), "not from 1 s to 30 days");
    }
    checkDelay(delay);
  }

  static void checkDelay(Duration delay) {
    if (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
      throw InvalidField.ofValue("delay", delay.toString(), "not from 0 to 365 days");
    }
  }

  /** Tells whether another admission under the same id is this one again. */
  ByteString sha256() {
    return new Sha256()
        .text(session.key())
        .text(kind.name())
        .text(queue)
        .number(input.kind().code())
        .bytes(input.bytes())
        .number(maxAttempts)
        .number(timeout.toMillis())
        .digest();
  }
}

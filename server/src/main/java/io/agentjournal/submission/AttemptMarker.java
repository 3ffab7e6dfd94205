package io.agentjournal.submission;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What stays of an attempt.
 *
 * @param endedAt null: it holds the submission; then end, reason and nextAttemptId are null too
 * @param nextAttemptId the attempt that took over, where one did
 */
record AttemptMarker(
    String attemptId,
    String owner,
    Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable AttemptEnd end,
    @Nullable String reason,
    @Nullable String nextAttemptId) {

  /** Whether the attempt was followed by this one, and for this reason; none is an empty one. */
  boolean wasReplacedBy(String attempt, @Nullable String forReason) {
    return attempt.equals(nextAttemptId) && text(reason).equals(text(forReason));
  }

  private static String text(@Nullable String reason) {
    return reason == null ? "" : reason;
  }
}

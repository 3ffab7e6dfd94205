package io.agentjournal.segment;

import org.jspecify.annotations.Nullable;

/**
 * What became of a batch.
 *
 * @param head the stream's, after it; null when there is no such stream, or when it is not known
 * @param refusal why the rest of the batch was not stored; null when all of it is
 */
record Outcome(
    @Nullable Head head, int appended, int duplicates, @Nullable RuntimeException refusal) {

  static Outcome refused(@Nullable Head head, RuntimeException refusal) {
    return new Outcome(head, 0, 0, refusal);
  }
}

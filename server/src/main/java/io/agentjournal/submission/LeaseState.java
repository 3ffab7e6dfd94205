package io.agentjournal.submission;

import io.agentjournal.key.AttemptId;
import io.agentjournal.refusal.Refusal;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import org.jspecify.annotations.Nullable;

/**
 * What became of an attempt's lease.
 *
 * @param lease as it is; null unless RENEWED or REFUSED
 * @param refusal what a write by the attempt would get; null when RENEWED or REFUSED
 * @param abortReason null: no abort is requested
 */
record LeaseState(
    AttemptId attempt,
    State state,
    @Nullable Lease lease,
    @Nullable Refusal refusal,
    @Nullable String abortReason) {

  /** RenewalState of submission.proto, without its prefix. */
  enum State {
    RENEWED,
    LOST,
    SETTLED,
    REFUSED,
    NOT_FOUND
  }

  static LeaseState notFound(AttemptId attempt) {
    SubmissionNotFound refusal = new SubmissionNotFound(attempt.submission().id());
    return new LeaseState(attempt, State.NOT_FOUND, null, refusal, null);
  }

  /** A holder should hear of it at once. */
  boolean isAlarm() {
    return state != State.RENEWED || abortReason != null;
  }
}

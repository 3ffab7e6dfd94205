package io.agentjournal.turn;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.submission.LeaseGrant;
import io.agentjournal.submission.Takeover;
import org.jspecify.annotations.Nullable;

/**
 * What ReplaceTurnJournalAttempt asks for.
 *
 * @param lease null: owner and duration of the lease that is replaced
 */
record ReplaceAttempt(
    AttemptId current,
    String nextAttemptId,
    @Nullable LeaseGrant lease,
    boolean requireExpiredLease,
    String reason) {
  static final int MAX_REASON_BYTES = 16 << 10;

  ReplaceAttempt {
    Identifier.check("next_attempt_id", nextAttemptId);
    Identifier.checkText("reason", reason, MAX_REASON_BYTES);
  }

  Takeover.Successor successor() {
    return new Takeover.Successor(
        new AttemptId(current.submission(), nextAttemptId), lease, reason);
  }

  Takeover.Right right() {
    return requireExpiredLease ? Takeover.Right.IF_RECOVERABLE : Takeover.Right.BY_FORCE;
  }
}

package io.agentjournal.recovery;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.submission.LeaseGrant;
import io.agentjournal.submission.Takeover;

/**
 * What TakeOver asks for.
 *
 * @param attempt the attempt that takes over
 * @param force also under a living lease
 * @param reason empty: that of the recovery request, if there is one
 */
record TakeOver(AttemptId attempt, LeaseGrant lease, boolean force, String reason) {
  private static final int MAX_REASON_BYTES = 16 << 10;

  TakeOver {
    Identifier.checkText("reason", reason, MAX_REASON_BYTES);
  }

  Takeover.Successor successor() {
    return new Takeover.Successor(attempt, lease, reason.isEmpty() ? null : reason);
  }

  Takeover.Right right() {
    return force ? Takeover.Right.BY_FORCE : Takeover.Right.IF_RECOVERABLE;
  }
}

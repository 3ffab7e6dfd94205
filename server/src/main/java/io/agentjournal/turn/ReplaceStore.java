package io.agentjournal.turn;

import io.agentjournal.submission.Claimed;
import io.agentjournal.submission.ClaimedStore;
import io.agentjournal.submission.Takeover;
import java.sql.Connection;
import java.sql.SQLException;

/** ReplaceTurnJournalAttempt, inside a caller's transaction. Stateless and thread-safe. */
final class ReplaceStore {
  private final Takeover takeover;
  private final ClaimedStore claimed;

  ReplaceStore(Takeover takeover, ClaimedStore claimed) {
    this.takeover = takeover;
    this.claimed = claimed;
  }

  Claimed replace(Connection connection, ReplaceAttempt call) throws SQLException {
    Takeover.Successor next = call.successor();
    boolean applied = takeover.replace(connection, call.current(), next, call.right());
    return claimed.read(connection, applied, next.attempt());
  }
}

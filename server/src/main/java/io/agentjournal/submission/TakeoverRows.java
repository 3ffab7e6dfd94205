package io.agentjournal.submission;

import io.agentjournal.key.AttemptId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/** The statement by which a running submission changes hands. */
final class TakeoverRows {
  private static final String TAKE =
      """
      UPDATE submissions
         SET attempt_id = ?,
             owner = COALESCE(?, owner),
             lease_ms = COALESCE(?, lease_ms),
             lease_expires_at = LEAST(now() + COALESCE(?, lease_ms) * interval '1 millisecond', deadline_at),
             attempt_count = attempt_count + ?,
             recovery_requested_at = NULL, recovery_not_before = NULL, recovery_reason = NULL,
             recovery_is_counted = NULL
       WHERE namespace = ? AND submission_id = ?
         AND status = 'RUNNING' AND attempt_id = ?
         AND attempt_count + ? <= max_attempts AND deadline_at > now()
      """;

  /**
   * Gives the submission from the one attempt to the other.
   *
   * @param lease null: owner and duration of the lease that is taken over
   * @param cost how many attempts it counts as
   */
  void take(
      Connection connection,
      String currentAttemptId,
      AttemptId next,
      @Nullable LeaseGrant lease,
      int cost)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(TAKE)) {
      statement.setString(1, next.id());
      statement.setString(2, lease == null ? null : lease.owner());
      Long leaseMillis = lease == null ? null : lease.duration().toMillis();
      statement.setObject(3, leaseMillis, Types.BIGINT);
      statement.setObject(4, leaseMillis, Types.BIGINT);
      statement.setInt(5, cost);
      statement.setString(6, next.namespace().name());
      statement.setString(7, next.submission().id());
      statement.setString(8, currentAttemptId);
      statement.setInt(9, cost);
      if (statement.executeUpdate() != 1) {
        throw new IllegalStateException("a take-over that was judged possible was not: " + next);
      }
    }
  }
}

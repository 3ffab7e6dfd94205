package io.agentjournal.submission;

import com.google.protobuf.UnsafeByteOperations;
import io.agentjournal.database.Columns;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.AlreadySettled;
import io.agentjournal.refusal.Refusal.StaleAttempt;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The rows that hold the write tokens, and their locks. Writes in an attempt's name take a row FOR
 * SHARE, so that many of them go on at once and no attempt is replaced meanwhile; whoever changes
 * who holds it takes it FOR UPDATE. A transaction that also needs the session locks that one first.
 * Stateless and thread-safe.
 */
public final class SubmissionRows {
  private static final String SESSION =
      "SELECT session_key FROM submissions WHERE namespace = ? AND submission_id = ?";

  /** The columns that {@link #standing} reads. */
  static final String STANDING =
      """
      session_key, kind, status, attempt_id, owner, input_applied_by,
      abort_requested_at IS NOT NULL AS is_abort_requested,
      outcome, settled_by_attempt_id, settlement_sha256, settled_at\
      """;

  private static final String FIND =
      "SELECT " + STANDING + " FROM submissions WHERE namespace = ? AND submission_id = ?";

  private static final String LOCK_FOR_SHARE = FIND + " FOR SHARE";

  private static final String LOCK_FOR_UPDATE = FIND + " FOR UPDATE";

  /**
   * The session of a submission, which never changes: for those who lock the session before the
   * submission.
   *
   * @throws SubmissionNotFound there is no such submission
   */
  public SessionKey sessionOf(Connection connection, SubmissionId id) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SESSION)) {
      statement.setString(1, id.namespace().name());
      statement.setString(2, id.id());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new SubmissionNotFound(id.id());
        }
        return new SessionKey(id.namespace(), row.getString("session_key"));
      }
    }
  }

  /**
   * The fence: passes, and until the end of the transaction keeps, the attempt under which the
   * submission runs.
   *
   * @throws SubmissionNotFound there is no such submission
   * @throws AlreadySettled it runs no more
   * @throws StaleAttempt it runs under another attempt, or under none
   */
  public Standing requireRunning(Connection connection, AttemptId attempt) throws SQLException {
    return lockForShare(connection, attempt.submission()).requireHeldBy(attempt);
  }

  /**
   * Keeps who holds the submission from changing until the end of the transaction.
   *
   * @throws SubmissionNotFound there is no such submission
   */
  public Standing lockForShare(Connection connection, SubmissionId id) throws SQLException {
    return select(connection, LOCK_FOR_SHARE, id);
  }

  /**
   * Locks out all who write in the name of its attempt.
   *
   * @throws SubmissionNotFound there is no such submission
   */
  public Standing lockForUpdate(Connection connection, SubmissionId id) throws SQLException {
    return select(connection, LOCK_FOR_UPDATE, id);
  }

  private static Standing select(Connection connection, String statementText, SubmissionId id)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setString(1, id.namespace().name());
      statement.setString(2, id.id());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new SubmissionNotFound(id.id());
        }
        return standing(row, id);
      }
    }
  }

  static Standing standing(ResultSet row, SubmissionId id) throws SQLException {
    String outcome = row.getString("outcome");
    byte[] sha256 = row.getBytes("settlement_sha256");
    return new Standing(
        id,
        new SessionKey(id.namespace(), row.getString("session_key")),
        SubmissionKind.valueOf(row.getString("kind")),
        SubmissionStatus.valueOf(row.getString("status")),
        row.getString("attempt_id"),
        row.getString("owner"),
        row.getString("input_applied_by"),
        row.getBoolean("is_abort_requested"),
        outcome == null ? null : Outcome.valueOf(outcome),
        row.getString("settled_by_attempt_id"),
        sha256 == null ? null : UnsafeByteOperations.unsafeWrap(sha256),
        Columns.instantOrNull(row, "settled_at"));
  }
}

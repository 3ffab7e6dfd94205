package io.agentjournal.submission;

import io.agentjournal.database.Columns;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.AttemptUsed;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One marker for each attempt, ever: because of them an attempt id is used once. Written by
 * transactions that hold the submission's lock. Stateless and thread-safe.
 */
final class AttemptRows {
  private static final String INSERT =
      """
      INSERT INTO attempts (namespace, submission_id, attempt_id, attempt_number, owner)
      SELECT ?, ?, ?, COALESCE(max(attempt_number), 0) + 1, ?
        FROM attempts
       WHERE namespace = ? AND submission_id = ?
      ON CONFLICT (namespace, submission_id, attempt_id) DO UPDATE
         SET started_at = now(), ended_at = NULL, end_kind = NULL, reason = NULL
       WHERE attempts.end_kind = 'GIVEN_BACK' AND attempts.owner = EXCLUDED.owner
      RETURNING attempt_number
      """;

  private static final String FIND =
      """
      SELECT attempt_id, owner, started_at, ended_at, end_kind, reason, next_attempt_id
        FROM attempts
       WHERE namespace = ? AND submission_id = ? AND attempt_id = ?
      """;

  private static final String LIST =
      """
      SELECT attempt_id, owner, started_at, ended_at, end_kind, reason, next_attempt_id, attempt_number
        FROM attempts
       WHERE namespace = ? AND submission_id = ? AND attempt_number > ?
       ORDER BY attempt_number
       LIMIT ?
      """;

  private static final String END =
      """
      UPDATE attempts
         SET ended_at = now(), end_kind = ?, reason = ?, next_attempt_id = ?
       WHERE namespace = ? AND submission_id = ? AND attempt_id = ? AND ended_at IS NULL
      """;

  /**
   * Begins an attempt. One that was given back unseen may begin again: a retry of the call that was
   * cancelled comes with the same id.
   *
   * @throws AttemptUsed the submission has had an attempt of this id
   */
  void insert(Connection connection, AttemptId attempt, String owner) throws SQLException {
    String namespace = attempt.namespace().name();
    String submissionId = attempt.submission().id();
    try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
      statement.setString(1, namespace);
      statement.setString(2, submissionId);
      statement.setString(3, attempt.id());
      statement.setString(4, owner);
      statement.setString(5, namespace);
      statement.setString(6, submissionId);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new AttemptUsed(submissionId, attempt.id());
        }
      }
    }
  }

  /**
   * Tells before anything is written what {@link #insert} would find.
   *
   * @throws AttemptUsed the submission has had an attempt of this id
   */
  void requireUnused(Connection connection, AttemptId attempt, String owner) throws SQLException {
    AttemptMarker marker = find(connection, attempt);
    boolean mayBeginAgain =
        marker == null || (marker.end() == AttemptEnd.GIVEN_BACK && marker.owner().equals(owner));
    if (!mayBeginAgain) {
      throw new AttemptUsed(attempt.submission().id(), attempt.id());
    }
  }

  /** Null: the submission never had such an attempt. */
  @Nullable AttemptMarker find(Connection connection, AttemptId attempt) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FIND)) {
      statement.setString(1, attempt.namespace().name());
      statement.setString(2, attempt.submission().id());
      statement.setString(3, attempt.id());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? marker(row) : null;
      }
    }
  }

  /** The next ones after a number, oldest first; numbers begin with 1 and have no holes. */
  List<AttemptMarker> list(
      Connection connection, SubmissionId submission, int afterNumber, int limit)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LIST)) {
      statement.setString(1, submission.namespace().name());
      statement.setString(2, submission.id());
      statement.setInt(3, afterNumber);
      statement.setInt(4, limit);
      try (ResultSet row = statement.executeQuery()) {
        List<AttemptMarker> markers = new ArrayList<>();
        while (row.next()) {
          markers.add(marker(row));
        }
        return markers;
      }
    }
  }

  /** Ends an attempt, if it has not ended. */
  void end(
      Connection connection,
      AttemptId attempt,
      AttemptEnd end,
      @Nullable String reason,
      @Nullable String nextAttemptId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(END)) {
      statement.setString(1, end.name());
      statement.setString(2, reason);
      statement.setString(3, nextAttemptId);
      statement.setString(4, attempt.namespace().name());
      statement.setString(5, attempt.submission().id());
      statement.setString(6, attempt.id());
      statement.executeUpdate();
    }
  }

  private static AttemptMarker marker(ResultSet row) throws SQLException {
    String end = row.getString("end_kind");
    return new AttemptMarker(
        row.getString("attempt_id"),
        row.getString("owner"),
        Columns.instant(row, "started_at"),
        Columns.instantOrNull(row, "ended_at"),
        end == null ? null : AttemptEnd.valueOf(end),
        row.getString("reason"),
        row.getString("next_attempt_id"));
  }
}

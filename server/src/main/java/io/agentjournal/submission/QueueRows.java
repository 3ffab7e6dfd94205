package io.agentjournal.submission;

import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The unsettled submissions of a session in the order of admission. All of it happens under the
 * session's lock, so that the order of admission is the order of commit. The head of the queue,
 * while it is QUEUED, is marked as runnable.
 */
public final class QueueRows {
  private static final String APPEND =
      """
      INSERT INTO session_queue (namespace, session_key, sequence, submission_id)
      VALUES (?, ?, ?, ?)
      """;

  private static final String HEAD =
      """
      SELECT submission_id
        FROM session_queue
       WHERE namespace = ? AND session_key = ?
       ORDER BY sequence
       LIMIT 1
      """;

  private static final String LAST_BELOW =
      """
      SELECT sequence, submission_id
        FROM session_queue
       WHERE namespace = ? AND session_key = ? AND sequence < ?
       ORDER BY sequence DESC
       LIMIT ?
      """;

  private static final String REMOVE =
      """
      DELETE FROM session_queue
       WHERE namespace = ? AND session_key = ? AND submission_id = ?
      """;

  private static final String MARK_RUNNABLE =
      """
      UPDATE submissions
         SET runnable_at = GREATEST(admitted_at, not_before)
       WHERE namespace = ? AND submission_id = ? AND status = 'QUEUED' AND runnable_at IS NULL
      """;

  void append(Connection connection, SessionKey session, long sequence, SubmissionId submission)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(APPEND)) {
      statement.setString(1, session.namespace().name());
      statement.setString(2, session.key());
      statement.setLong(3, sequence);
      statement.setString(4, submission.id());
      statement.executeUpdate();
    }
  }

  /**
   * The submission that comes first: it runs, waits, or is the next to run. Null: all are settled.
   */
  public @Nullable String head(Connection connection, SessionKey session) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(HEAD)) {
      statement.setString(1, session.namespace().name());
      statement.setString(2, session.key());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getString(1) : null;
      }
    }
  }

  /** A submission in its session's order. */
  record Place(long sequence, String submissionId) {}

  /** The last ones in front of a place, the very last first. */
  List<Place> lastBelow(Connection connection, SessionKey session, long belowSequence, int limit)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LAST_BELOW)) {
      statement.setString(1, session.namespace().name());
      statement.setString(2, session.key());
      statement.setLong(3, belowSequence);
      statement.setInt(4, limit);
      try (ResultSet row = statement.executeQuery()) {
        List<Place> places = new ArrayList<>();
        while (row.next()) {
          places.add(new Place(row.getLong("sequence"), row.getString("submission_id")));
        }
        return places;
      }
    }
  }

  /** Takes a settled submission out of the queue and lets the next one run. */
  void remove(Connection connection, SessionKey session, SubmissionId submission)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(REMOVE)) {
      statement.setString(1, session.namespace().name());
      statement.setString(2, session.key());
      statement.setString(3, submission.id());
      statement.executeUpdate();
    }
    String next = head(connection, session);
    if (next == null) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(MARK_RUNNABLE)) {
      statement.setString(1, session.namespace().name());
      statement.setString(2, next);
      statement.executeUpdate();
    }
  }
}

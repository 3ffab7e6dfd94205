package io.agentjournal.session;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.SessionBusy;
import io.agentjournal.refusal.Refusal.SessionNotFound;
import io.agentjournal.submission.QueueRows;
import io.agentjournal.transcript.LockedSession;
import io.agentjournal.transcript.SessionRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The steps of a session's deletion, each inside a caller's transaction. A step locks the session
 * and does something only while it is marked: a session that was made anew under the key stays.
 */
final class DeletionStore {
  private static final int SUBMISSIONS_PER_LOOK = 100;

  private static final String MARK =
      """
      UPDATE sessions
         SET deleting_since = now()
       WHERE namespace = ? AND session_key = ? AND deleting_since IS NULL
      """;

  private static final String SUBMISSIONS =
      """
      SELECT submission_id
        FROM submissions
       WHERE namespace = ? AND session_key = ?
       LIMIT ?
      """;

  /** Of what belongs to a submission, in turn; the submission itself last. */
  private static final List<String> DELETE_SUBMISSION =
      List.of(
          "DELETE FROM submission_events WHERE namespace = ? AND submission_id = ?",
          "DELETE FROM tool_calls WHERE namespace = ? AND submission_id = ?",
          "DELETE FROM turns WHERE namespace = ? AND submission_id = ?",
          "DELETE FROM turn_journals WHERE namespace = ? AND submission_id = ?",
          "DELETE FROM submission_waits WHERE namespace = ? AND submission_id = ?",
          "DELETE FROM next_claims WHERE namespace = ? AND submission_id = ?",
          "DELETE FROM attempts WHERE namespace = ? AND submission_id = ?",
          "DELETE FROM receipts WHERE namespace = ? AND submission_id = ? AND kind = 'DIRECT'",
          "DELETE FROM submissions WHERE namespace = ? AND submission_id = ?");

  private static final String DELETE_ENTRIES =
      """
      DELETE FROM entries
       WHERE namespace = ? AND session_key = ?
         AND entry_number IN (SELECT entry_number
                                FROM entries
                               WHERE namespace = ? AND session_key = ?
                               ORDER BY entry_number
                               LIMIT 1000)
      """;

  private static final String DELETE_SESSION =
      "DELETE FROM sessions WHERE namespace = ? AND session_key = ?";

  private static final String LEFT_OVER =
      """
      SELECT namespace, session_key
        FROM sessions
       WHERE deleting_since < now() - interval '30 s'
       LIMIT 10
      """;

  private final SessionRows sessions;
  private final QueueRows queue;

  DeletionStore(SessionRows sessions, QueueRows queue) {
    this.sessions = sessions;
    this.queue = queue;
  }

  /**
   * From its commit on nothing is admitted or appended any more.
   *
   * @return false: it was marked already
   * @throws SessionNotFound there is no such session
   * @throws SessionBusy one of its submissions is not settled
   */
  boolean mark(Connection connection, SessionKey key) throws SQLException {
    LockedSession session = sessions.lockIfPresent(connection, key);
    if (session == null) {
      throw new SessionNotFound(key.key());
    }
    String active = queue.head(connection, key);
    if (active != null) {
      throw new SessionBusy(key.key(), active);
    }
    try (PreparedStatement statement = connection.prepareStatement(MARK)) {
      statement.setString(1, key.namespace().name());
      statement.setString(2, key.key());
      return statement.executeUpdate() == 1;
    }
  }

  /** Some of the submissions that are left; none: there are none, or the session has gone. */
  List<SubmissionId> submissions(Connection connection, SessionKey key) throws SQLException {
    List<SubmissionId> ids = new ArrayList<>();
    if (!isMarked(connection, key)) {
      return ids;
    }
    try (PreparedStatement statement = connection.prepareStatement(SUBMISSIONS)) {
      statement.setString(1, key.namespace().name());
      statement.setString(2, key.key());
      statement.setInt(3, SUBMISSIONS_PER_LOOK);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          ids.add(new SubmissionId(key.namespace(), row.getString(1)));
        }
      }
    }
    return ids;
  }

  /**
   * Removes a submission with all that belongs to it but its streams and, if it was dispatched, its
   * receipt.
   *
   * @return false: the session has gone
   */
  boolean deleteSubmission(Connection connection, SessionKey key, SubmissionId id)
      throws SQLException {
    if (!isMarked(connection, key)) {
      return false;
    }
    for (String statementText : DELETE_SUBMISSION) {
      try (PreparedStatement statement = connection.prepareStatement(statementText)) {
        statement.setString(1, id.namespace().name());
        statement.setString(2, id.id());
        statement.executeUpdate();
      }
    }
    return true;
  }

  /** Removes some entries; answers whether there may be more. */
  boolean deleteEntries(Connection connection, SessionKey key) throws SQLException {
    if (!isMarked(connection, key)) {
      return false;
    }
    try (PreparedStatement statement = connection.prepareStatement(DELETE_ENTRIES)) {
      statement.setString(1, key.namespace().name());
      statement.setString(2, key.key());
      statement.setString(3, key.namespace().name());
      statement.setString(4, key.key());
      return statement.executeUpdate() > 0;
    }
  }

  /** The last step; false: somebody else has done it. */
  boolean deleteSession(Connection connection, SessionKey key) throws SQLException {
    if (!isMarked(connection, key)) {
      return false;
    }
    try (PreparedStatement statement = connection.prepareStatement(DELETE_SESSION)) {
      statement.setString(1, key.namespace().name());
      statement.setString(2, key.key());
      return statement.executeUpdate() == 1;
    }
  }

  /** Marked for so long that whoever marked them may have gone. */
  List<SessionKey> leftOver(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LEFT_OVER);
        ResultSet row = statement.executeQuery()) {
      List<SessionKey> keys = new ArrayList<>();
      while (row.next()) {
        keys.add(new SessionKey(new Namespace(row.getString(1)), row.getString(2)));
      }
      return keys;
    }
  }

  private boolean isMarked(Connection connection, SessionKey key) throws SQLException {
    LockedSession session = sessions.lockIfPresent(connection, key);
    return session != null && session.isDeleting();
  }
}

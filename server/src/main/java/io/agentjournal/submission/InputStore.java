package io.agentjournal.submission;

import com.google.protobuf.UnsafeByteOperations;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.payload.Payload;
import io.agentjournal.payload.PayloadCase;
import io.agentjournal.refusal.Refusal.IllegalPhase;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import io.agentjournal.transcript.AppendedEntries;
import io.agentjournal.transcript.LockedSession;
import io.agentjournal.transcript.NewEntries;
import io.agentjournal.transcript.SessionRows;
import io.agentjournal.transcript.TranscriptStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The stamp that a submission's input is in the transcript, and the input's entries with it.
 * Stateless and thread-safe.
 */
public final class InputStore {
  private static final String MARK_APPLIED =
      """
      UPDATE submissions
         SET input_applied_at = now(), input_applied_by = ?
       WHERE namespace = ? AND submission_id = ? AND input_applied_at IS NULL
      """;

  private static final String READ =
      "SELECT input_case, input FROM submissions WHERE namespace = ? AND submission_id = ?";

  private final SessionRows sessions;
  private final SubmissionRows rows;
  private final TranscriptStore transcript;

  public InputStore(SessionRows sessions, SubmissionRows rows, TranscriptStore transcript) {
    this.sessions = sessions;
    this.rows = rows;
    this.transcript = transcript;
  }

  /**
   * What became of it.
   *
   * @param leafId the session's leaf afterwards; null: it has none
   */
  record Applied(boolean applied, @Nullable String leafId) {}

  /**
   * What MarkInputApplied does, whole: stamped already, with these entries or without any, is a
   * repeat for the attempt that stamped it and for the one that holds the submission now.
   *
   * @throws IllegalPhase it is stamped, and the entries are others
   */
  Applied apply(Connection connection, AttemptId attempt, NewEntries entries) throws SQLException {
    SessionKey key = rows.sessionOf(connection, attempt.submission());
    LockedSession session = sessions.lock(connection, key);
    Standing submission = rows.lockForUpdate(connection, attempt.submission());
    if (!attempt.id().equals(submission.inputAppliedBy())) {
      submission.requireHeldBy(attempt);
    }
    if (!submission.isInputApplied()) {
      AppendedEntries appended = transcript.append(connection, session, entries);
      markApplied(connection, attempt);
      return new Applied(true, appended.leafId());
    }
    if (!transcript.hasAll(connection, key, entries)) {
      submission.requireHeldBy(attempt);
      transcript.requireUnknown(connection, key, entries);
      throw new IllegalPhase("input_applied", "input_not_applied");
    }
    return new Applied(false, session.leafId());
  }

  /**
   * Stamps the input as applied, if it is not. The caller holds the submission FOR UPDATE and has
   * judged the attempt.
   */
  public void markApplied(Connection connection, AttemptId attempt) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(MARK_APPLIED)) {
      statement.setString(1, attempt.id());
      statement.setString(2, attempt.namespace().name());
      statement.setString(3, attempt.submission().id());
      statement.executeUpdate();
    }
  }

  /**
   * The whole input.
   *
   * @throws SubmissionNotFound there is no such submission
   */
  Payload read(Connection connection, SubmissionId id) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(READ)) {
      statement.setString(1, id.namespace().name());
      statement.setString(2, id.id());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new SubmissionNotFound(id.id());
        }
        return new Payload(
            PayloadCase.ofCode(row.getInt("input_case")),
            UnsafeByteOperations.unsafeWrap(row.getBytes("input")));
      }
    }
  }
}

package io.agentjournal.submission;

import com.google.protobuf.UnsafeByteOperations;
import io.agentjournal.database.Columns;
import io.agentjournal.key.SubmissionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** One receipt for each submission ever admitted: it makes a submission id be used once. */
final class ReceiptRows {
  private static final String INSERT =
      """
      INSERT INTO receipts (namespace, submission_id, session_key, kind, admission_sha256)
      VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (namespace, submission_id) DO NOTHING
      RETURNING submission_id
      """;

  private static final String FIND =
      """
      SELECT session_key, outcome, admitted_at, settled_at, admission_sha256
        FROM receipts
       WHERE namespace = ? AND submission_id = ?
      """;

  private static final String SETTLE =
      """
      UPDATE receipts
         SET outcome = ?, settled_at = now()
       WHERE namespace = ? AND submission_id = ?
      """;

  /** False: there is one already. Waits for a transaction that is about to make one. */
  boolean insert(Connection connection, NewSubmission submission) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
      statement.setString(1, submission.id().namespace().name());
      statement.setString(2, submission.id().id());
      statement.setString(3, submission.session().key());
      statement.setString(4, submission.kind().name());
      statement.setBytes(5, submission.sha256().toByteArray());
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  @Nullable Receipt find(Connection connection, SubmissionId id) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FIND)) {
      statement.setString(1, id.namespace().name());
      statement.setString(2, id.id());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        String outcome = row.getString("outcome");
        return new Receipt(
            id,
            row.getString("session_key"),
            outcome == null ? null : Outcome.valueOf(outcome),
            Columns.instant(row, "admitted_at"),
            Columns.instantOrNull(row, "settled_at"),
            UnsafeByteOperations.unsafeWrap(row.getBytes("admission_sha256")));
      }
    }
  }

  void settle(Connection connection, SubmissionId id, Outcome outcome) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SETTLE)) {
      statement.setString(1, outcome.name());
      statement.setString(2, id.namespace().name());
      statement.setString(3, id.id());
      statement.executeUpdate();
    }
  }
}

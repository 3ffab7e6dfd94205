package io.agentjournal.submission;

import com.google.protobuf.UnsafeByteOperations;
import io.agentjournal.database.Columns;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.payload.Payload;
import io.agentjournal.payload.PayloadCase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What submissions wait for. Written by transactions that hold the submission's lock. */
final class WaitRows {
  private static final String COLUMNS =
      """
      SELECT wait_id, asked_at, expires_at, question_case, question, answered_at, answer_case, answer, answered_by
        FROM submission_waits
       WHERE namespace = ? AND submission_id = ?\
      """;

  private static final String FIND = COLUMNS + " AND wait_id = ?";

  private static final String CURRENT =
      COLUMNS
          + """
             AND (asked_at IS NULL
                  OR asked_at = (SELECT suspended_at FROM submissions WHERE namespace = ? AND submission_id = ?))
           ORDER BY asked_at NULLS LAST, position, wait_id
          """;

  private static final String ASK =
      """
      INSERT INTO submission_waits (namespace, submission_id, wait_id, position, asked_at, expires_at,
                                    question_case, question)
      VALUES (?, ?, ?, ?, now(), now() + ? * interval '1 millisecond', ?, ?)
      ON CONFLICT (namespace, submission_id, wait_id) DO UPDATE
         SET position = EXCLUDED.position, asked_at = EXCLUDED.asked_at, expires_at = EXCLUDED.expires_at,
             question_case = EXCLUDED.question_case, question = EXCLUDED.question
      """;

  private static final String ANSWER =
      """
      INSERT INTO submission_waits (namespace, submission_id, wait_id, answered_at, answer_case, answer, answered_by)
      VALUES (?, ?, ?, now(), ?, ?, ?)
      ON CONFLICT (namespace, submission_id, wait_id) DO UPDATE
         SET answered_at = EXCLUDED.answered_at, answer_case = EXCLUDED.answer_case, answer = EXCLUDED.answer,
             answered_by = EXCLUDED.answered_by
       WHERE submission_waits.answered_at IS NULL
      """;

  private static final String MARK =
      """
      UPDATE submissions
         SET has_waits = true
       WHERE namespace = ? AND submission_id = ? AND NOT has_waits
      """;

  /** The wait of this id, asked for or only answered; null: neither. */
  @Nullable Wait find(Connection connection, SubmissionId submission, String waitId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FIND)) {
      statement.setString(1, submission.namespace().name());
      statement.setString(2, submission.id());
      statement.setString(3, waitId);
      List<Wait> found = waits(statement);
      return found.isEmpty() ? null : found.get(0);
    }
  }

  /** Those of the last suspension in their order, and answers that came before their questions. */
  List<Wait> current(Connection connection, SubmissionId submission) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(CURRENT)) {
      statement.setString(1, submission.namespace().name());
      statement.setString(2, submission.id());
      statement.setString(3, submission.namespace().name());
      statement.setString(4, submission.id());
      return waits(statement);
    }
  }

  private static List<Wait> waits(PreparedStatement statement) throws SQLException {
    List<Wait> waits = new ArrayList<>();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        waits.add(
            new Wait(
                row.getString("wait_id"),
                payload(row, "question_case", "question"),
                Columns.instantOrNull(row, "asked_at"),
                Columns.instantOrNull(row, "expires_at"),
                Columns.instantOrNull(row, "answered_at"),
                payload(row, "answer_case", "answer"),
                row.getString("answered_by")));
      }
    }
    return waits;
  }

  private static Payload payload(ResultSet row, String kind, String bytes) throws SQLException {
    return new Payload(
        PayloadCase.ofCode(row.getInt(kind)), UnsafeByteOperations.unsafeWrap(row.getBytes(bytes)));
  }

  /** Asks; an answer that is there stays. */
  void ask(Connection connection, SubmissionId submission, List<NewWait> waits)
      throws SQLException {
    mark(connection, submission);
    try (PreparedStatement statement = connection.prepareStatement(ASK)) {
      for (int position = 0; position < waits.size(); position++) {
        NewWait wait = waits.get(position);
        statement.setString(1, submission.namespace().name());
        statement.setString(2, submission.id());
        statement.setString(3, wait.waitId());
        statement.setInt(4, position);
        Long timeoutMillis = wait.timeout() == null ? null : wait.timeout().toMillis();
        statement.setObject(5, timeoutMillis, Types.BIGINT);
        statement.setInt(6, wait.question().kind().code());
        statement.setBytes(7, wait.question().bytes().toByteArray());
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  /** Answers one that has no answer. */
  void answer(Connection connection, SubmissionId submission, Answer answer) throws SQLException {
    mark(connection, submission);
    try (PreparedStatement statement = connection.prepareStatement(ANSWER)) {
      statement.setString(1, submission.namespace().name());
      statement.setString(2, submission.id());
      statement.setString(3, answer.waitId());
      statement.setInt(4, answer.payload().kind().code());
      statement.setBytes(5, answer.payload().bytes().toByteArray());
      statement.setString(6, answer.by());
      statement.executeUpdate();
    }
  }

  private static void mark(Connection connection, SubmissionId submission) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(MARK)) {
      statement.setString(1, submission.namespace().name());
      statement.setString(2, submission.id());
      statement.executeUpdate();
    }
  }
}

package io.agentjournal.slot;

import io.agentjournal.key.AttemptId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * The statements by which tool calls are recorded and go forward. The caller holds the slot's lock
 * and has judged that they may. Stateless and thread-safe.
 */
public final class ToolCallTransitionRows {
  private static final String INSERT =
      """
      INSERT INTO tool_calls (namespace, submission_id, turn_id, tool_call_id, position, name, arguments, restart_safe,
                              idempotency_key)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """;

  private static final String START =
      """
      UPDATE tool_calls
         SET state = 'STARTED', started_by = ?, started_at = now()
       WHERE namespace = ? AND submission_id = ? AND turn_id = ? AND tool_call_id = ?
         AND (state = 'RECORDED' OR (state = 'STARTED' AND restart_safe))
      """;

  private static final String END =
      """
      UPDATE tool_calls
         SET state = 'RESULT', result_kind = ?, result_entry_id = ?, ended_by = ?, ended_at = now()
       WHERE namespace = ? AND submission_id = ? AND turn_id = ? AND tool_call_id = ?
         AND state <> 'RESULT'
      """;

  /** Records the calls of a turn in their order. */
  public void insert(
      Connection connection, AttemptId attempt, String turnId, List<NewToolCall> calls)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
      for (int position = 0; position < calls.size(); position++) {
        NewToolCall call = calls.get(position);
        statement.setString(1, attempt.namespace().name());
        statement.setString(2, attempt.submission().id());
        statement.setString(3, turnId);
        statement.setString(4, call.toolCallId());
        statement.setInt(5, position);
        statement.setString(6, call.name());
        statement.setBytes(7, call.arguments().toByteArray());
        statement.setBoolean(8, call.restartSafe());
        statement.setString(9, call.idempotencyKey());
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  /** The attempt is about to run the call. */
  public void start(Connection connection, AttemptId attempt, String turnId, String toolCallId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(START)) {
      statement.setString(1, attempt.id());
      statement.setString(2, attempt.namespace().name());
      statement.setString(3, attempt.submission().id());
      statement.setString(4, turnId);
      statement.setString(5, toolCallId);
      executeOnce(statement, toolCallId);
    }
  }

  /** What came of the call. */
  public void end(
      Connection connection,
      AttemptId attempt,
      String turnId,
      String toolCallId,
      String resultKind,
      String resultEntryId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(END)) {
      statement.setString(1, resultKind);
      statement.setString(2, resultEntryId);
      statement.setString(3, attempt.id());
      statement.setString(4, attempt.namespace().name());
      statement.setString(5, attempt.submission().id());
      statement.setString(6, turnId);
      statement.setString(7, toolCallId);
      executeOnce(statement, toolCallId);
    }
  }

  private static void executeOnce(PreparedStatement statement, String toolCallId)
      throws SQLException {
    if (statement.executeUpdate() != 1) {
      throw new IllegalStateException("an update judged possible was not: " + toolCallId);
    }
  }
}

package io.agentjournal.slot;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.agentjournal.database.Columns;
import io.agentjournal.key.SubmissionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads tool calls. Stateless and thread-safe; every method blocks and runs in the caller's
 * transaction.
 */
public final class ToolCallRows {
  private static final String LIST =
      """
      SELECT tool_call_id, name, restart_safe, idempotency_key, state, started_by, started_at, result_kind,
             result_entry_id, ended_by, ended_at, octet_length(arguments) AS arguments_size,
             CASE WHEN sum(octet_length(arguments)) OVER () <= ? THEN arguments END AS arguments
        FROM tool_calls
       WHERE namespace = ? AND submission_id = ? AND turn_id = ?
       ORDER BY position
      """;

  private static final String UNRESOLVED =
      """
      SELECT tool_call_id
        FROM tool_calls
       WHERE namespace = ? AND submission_id = ? AND turn_id = ? AND state = 'STARTED'
       ORDER BY position
      """;

  /**
   * The calls in the order of the request, with their arguments if all together have at most so
   * many bytes.
   */
  public List<ToolCall> list(
      Connection connection, SubmissionId submission, String turnId, long maxArgumentBytes)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LIST)) {
      statement.setLong(1, maxArgumentBytes);
      statement.setString(2, submission.namespace().name());
      statement.setString(3, submission.id());
      statement.setString(4, turnId);
      try (ResultSet rows = statement.executeQuery()) {
        List<ToolCall> calls = new ArrayList<>();
        while (rows.next()) {
          calls.add(call(rows));
        }
        return calls;
      }
    }
  }

  /** Ids of calls of the turn that were started and have no result, in the order of the request. */
  public List<String> unresolved(Connection connection, SubmissionId submission, String turnId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(UNRESOLVED)) {
      statement.setString(1, submission.namespace().name());
      statement.setString(2, submission.id());
      statement.setString(3, turnId);
      try (ResultSet rows = statement.executeQuery()) {
        List<String> ids = new ArrayList<>();
        while (rows.next()) {
          ids.add(rows.getString(1));
        }
        return ids;
      }
    }
  }

  private static ToolCall call(ResultSet row) throws SQLException {
    byte[] arguments = row.getBytes("arguments");
    ByteString bytes = arguments == null ? null : UnsafeByteOperations.unsafeWrap(arguments);
    return new ToolCall(
        row.getString("tool_call_id"),
        row.getString("name"),
        bytes,
        row.getLong("arguments_size"),
        row.getBoolean("restart_safe"),
        row.getString("idempotency_key"),
        ToolCall.State.valueOf(row.getString("state")),
        row.getString("started_by"),
        Columns.instantOrNull(row, "started_at"),
        row.getString("result_kind"),
        row.getString("result_entry_id"),
        row.getString("ended_by"),
        Columns.instantOrNull(row, "ended_at"));
  }
}

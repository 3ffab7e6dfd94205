package io.agentjournal.slot;

import com.google.protobuf.ByteString;
import io.agentjournal.database.Columns;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The columns of a turn's facts, which the slot and the earlier turns have in common. */
final class SlotColumns {
  static final String OF_TURN =
      """
      turn_id, revision, phase, begun_by, operation_id, created_at,
      started_by, stream_key, content_type,
      consumed_by, stream_consumed_at,
      requested_by, calls_sha256, checkpoint_leaf_id, request_leaf_id,
      committed_by, committed_leaf_id, final, committed_at\
      """;

  private SlotColumns() {}

  static TurnFacts turn(ResultSet row) throws SQLException {
    return new TurnFacts(
        row.getString("turn_id"),
        row.getLong("revision"),
        Phase.ofStored(row.getString("phase")),
        new TurnFacts.Begun(row.getString("begun_by"), row.getString("operation_id")),
        Columns.instant(row, "created_at"),
        started(row),
        consumed(row),
        Columns.instantOrNull(row, "stream_consumed_at"),
        requested(row),
        committed(row),
        Columns.instantOrNull(row, "committed_at"));
  }

  private static TurnFacts.@Nullable Started started(ResultSet row) throws SQLException {
    String attemptId = row.getString("started_by");
    return attemptId == null
        ? null
        : new TurnFacts.Started(
            attemptId, row.getString("stream_key"), row.getString("content_type"));
  }

  private static TurnFacts.@Nullable Consumed consumed(ResultSet row) throws SQLException {
    String attemptId = row.getString("consumed_by");
    return attemptId == null ? null : new TurnFacts.Consumed(attemptId);
  }

  private static TurnFacts.@Nullable Requested requested(ResultSet row) throws SQLException {
    String attemptId = row.getString("requested_by");
    return attemptId == null
        ? null
        : new TurnFacts.Requested(
            attemptId,
            ByteString.copyFrom(row.getBytes("calls_sha256")),
            row.getString("checkpoint_leaf_id"),
            row.getString("request_leaf_id"));
  }

  private static TurnFacts.@Nullable Committed committed(ResultSet row) throws SQLException {
    String attemptId = row.getString("committed_by");
    return attemptId == null
        ? null
        : new TurnFacts.Committed(
            attemptId, row.getString("committed_leaf_id"), row.getBoolean("final"));
  }
}

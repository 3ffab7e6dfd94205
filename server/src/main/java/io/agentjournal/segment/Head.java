package io.agentjournal.segment;

import io.agentjournal.key.AttemptId;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What decides about an append: a stream's head as it stood under its lock, or as a look-up saw it.
 *
 * @param sizeBytes payload bytes stored
 * @param submissionId of a bound stream
 * @param attemptId who may append to a bound stream
 * @param writerEpoch the highest that a stand-alone stream has seen
 * @param finishReason of an ended stream; null when the slot ended it without one
 */
public record Head(
    long streamId,
    StreamState state,
    long nextIndex,
    long sizeBytes,
    @Nullable String submissionId,
    @Nullable String attemptId,
    boolean abortRequested,
    @Nullable Long writerEpoch,
    @Nullable String finishReason,
    @Nullable String failureCode,
    @Nullable String failureMessage) {

  /** The columns that {@link #from} reads, in this order. */
  static final String COLUMNS =
      "stream_id, state, next_index, size_bytes, submission_id, attempt_id, abort_requested, writer_epoch,"
          + " finish_reason, failure_code, failure_message";

  static Head from(ResultSet row) throws SQLException {
    return new Head(
        row.getLong(1),
        StreamState.valueOf(row.getString(2)),
        row.getLong(3),
        row.getLong(4),
        row.getString(5),
        row.getString(6),
        row.getBoolean(7),
        row.getObject(8, Long.class),
        row.getString(9),
        row.getString(10),
        row.getString(11));
  }

  public boolean isBound() {
    return submissionId != null;
  }

  public boolean isWrittenBy(AttemptId attempt) {
    return attempt.submission().id().equals(submissionId) && attempt.id().equals(attemptId);
  }
}

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

  /** Ended without being complete: whoever still writes it should stop. */
  boolean isVoid() {
    return state == StreamState.FAILED || state == StreamState.SUPERSEDED;
  }

  /** Of a stream whose row is not there any more: its session was deleted. */
  static Head gone(long streamId) {
    return new Head(streamId, StreamState.DELETED, 0, 0, null, null, false, null, null, null, null);
  }

  public boolean isBound() {
    return submissionId != null;
  }

  public boolean isWrittenBy(AttemptId attempt) {
    return attempt.submission().id().equals(submissionId) && attempt.id().equals(attemptId);
  }

  Head advanced(long toNextIndex, long toSizeBytes) {
    return new Head(
        streamId,
        state,
        toNextIndex,
        toSizeBytes,
        submissionId,
        attemptId,
        abortRequested,
        writerEpoch,
        finishReason,
        failureCode,
        failureMessage);
  }

  Head ended(StreamEnding ending) {
    return new Head(
        streamId,
        ending.state(),
        nextIndex,
        sizeBytes,
        submissionId,
        attemptId,
        abortRequested,
        writerEpoch,
        ending.finishReason(),
        ending.failureCode(),
        ending.failureMessage());
  }

  Head deleted() {
    return new Head(
        streamId,
        StreamState.DELETED,
        nextIndex,
        sizeBytes,
        submissionId,
        attemptId,
        abortRequested,
        writerEpoch,
        finishReason,
        failureCode,
        failureMessage);
  }

  Head withWriterEpoch(long epoch) {
    return new Head(
        streamId,
        state,
        nextIndex,
        sizeBytes,
        submissionId,
        attemptId,
        abortRequested,
        epoch,
        finishReason,
        failureCode,
        failureMessage);
  }

  Head withStreamId(long id) {
    return new Head(
        id,
        state,
        nextIndex,
        sizeBytes,
        submissionId,
        attemptId,
        abortRequested,
        writerEpoch,
        finishReason,
        failureCode,
        failureMessage);
  }
}

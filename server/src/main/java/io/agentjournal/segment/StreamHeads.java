package io.agentjournal.segment;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.SegmentsMissing;
import io.agentjournal.refusal.Refusal.StreamConflict;
import io.agentjournal.refusal.Refusal.StreamDeleted;
import io.agentjournal.refusal.Refusal.StreamEnded;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What other concepts do to the head of a stream, inside their own transactions. Streams are locked
 * last: a caller holds its session, submission and slot locks already. Every change leaves a
 * notice, by which all servers' open calls learn of it. Stateless and thread-safe.
 */
public final class StreamHeads {
  private static final String OPEN_BOUND =
      """
      INSERT INTO streams (bucket, namespace, stream_key, submission_id, turn_id, attempt_id, content_type,
                           abort_requested)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (bucket, namespace, stream_key) DO NOTHING
      RETURNING stream_id
      """;

  private static final String FIND =
      "SELECT "
          + Head.COLUMNS
          + """
             FROM streams
            WHERE bucket = ? AND namespace = ? AND stream_key = ?
          """;

  private static final String LOCK = FIND + " FOR NO KEY UPDATE";

  private static final String END =
      """
      UPDATE streams
         SET state = ?, finish_reason = ?, ended_at = now()
       WHERE bucket = ? AND stream_id = ?
      """;

  private static final String REPOINT =
      "UPDATE streams SET attempt_id = ? WHERE bucket = ? AND stream_id = ?";

  private static final String REQUEST_ABORT =
      "UPDATE streams SET abort_requested = true WHERE bucket = ? AND stream_id = ?";

  private static final String NOTICE =
      "INSERT INTO stream_notices (bucket, stream_id) VALUES (?, ?)";

  /**
   * Opens the stream of a turn, written by the attempt.
   *
   * @throws StreamConflict the key names a stream already
   * @throws StreamDeleted the key named one
   */
  public void openBound(
      Connection connection,
      StreamKey key,
      AttemptId attempt,
      String turnId,
      String contentType,
      boolean abortRequested)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(OPEN_BOUND)) {
      statement.setInt(1, key.bucket());
      statement.setString(2, key.namespace().name());
      statement.setString(3, key.key());
      statement.setString(4, attempt.submission().id());
      statement.setString(5, turnId);
      statement.setString(6, attempt.id());
      statement.setString(7, contentType);
      statement.setBoolean(8, abortRequested);
      try (ResultSet row = statement.executeQuery()) {
        if (row.next()) {
          return;
        }
      }
    }
    Head head = find(connection, key);
    if (head != null && head.state() == StreamState.DELETED) {
      throw new StreamDeleted(key.key());
    }
    throw new StreamConflict(key.key());
  }

  public @Nullable Head find(Connection connection, StreamKey key) throws SQLException {
    return select(connection, FIND, key);
  }

  /** The head, locked until the end of the transaction. Waits for a flush that is under way. */
  public @Nullable Head lock(Connection connection, StreamKey key) throws SQLException {
    return select(connection, LOCK, key);
  }

  /**
   * Makes a locked stream COMPLETE, if it is OPEN.
   *
   * @param expectedNextIndex how many segments the caller knows of; null: not said
   * @return whether this changed the stream
   * @throws SegmentsMissing the stream has another number of segments, in whatever state it is
   * @throws StreamEnded it is FAILED, SUPERSEDED or DELETED
   */
  public boolean complete(
      Connection connection, StreamKey key, Head locked, @Nullable Long expectedNextIndex)
      throws SQLException {
    requireSegments(key, locked, expectedNextIndex);
    return switch (locked.state()) {
      case OPEN -> {
        end(connection, key, locked, StreamState.COMPLETE, null);
        yield true;
      }
      case COMPLETE -> false;
      case FAILED, SUPERSEDED, DELETED ->
          throw new StreamEnded(
              key.key(), locked.state().name(), locked.nextIndex(), locked.finishReason());
    };
  }

  /** As the check of {@link #complete}, changing nothing. */
  public void requireSegments(StreamKey key, Head head, @Nullable Long expectedNextIndex) {
    if (expectedNextIndex != null && expectedNextIndex != head.nextIndex()) {
      throw new SegmentsMissing(key.key(), expectedNextIndex, head.nextIndex());
    }
  }

  /**
   * Whether a stream that takes no more has just so many segments. One that is not there has what
   * is asked for.
   *
   * @param expectedNextIndex null: whatever it has
   */
  public boolean hasSegments(Connection connection, StreamKey key, @Nullable Long expectedNextIndex)
      throws SQLException {
    if (expectedNextIndex == null) {
      return true;
    }
    Head head = find(connection, key);
    return head == null || head.nextIndex() == expectedNextIndex;
  }

  /** Ends a locked stream that is OPEN: from the commit on nothing is appended to it. */
  public void end(
      Connection connection,
      StreamKey key,
      Head locked,
      StreamState state,
      @Nullable String finishReason)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(END)) {
      statement.setString(1, state.name());
      statement.setString(2, finishReason);
      statement.setInt(3, key.bucket());
      statement.setLong(4, locked.streamId());
      statement.executeUpdate();
    }
    notice(connection, key, locked);
  }

  /**
   * Ends the stream if it is OPEN (SUPERSEDED by a new turn, FAILED by a settlement); else does
   * nothing.
   */
  public void endIfOpen(
      Connection connection, StreamKey key, StreamState state, @Nullable String finishReason)
      throws SQLException {
    Head locked = lock(connection, key);
    if (locked != null && locked.state() == StreamState.OPEN) {
      end(connection, key, locked, state, finishReason);
    }
  }

  /**
   * Gives the stream, if it is OPEN, to the next attempt, which may append at its next index.
   *
   * @param nextAttemptId null: to nobody, for as long as nobody holds the submission
   * @return its next index; null: it is not open
   */
  public @Nullable Long repointIfOpen(
      Connection connection, StreamKey key, @Nullable String nextAttemptId) throws SQLException {
    Head locked = lock(connection, key);
    if (locked == null || locked.state() != StreamState.OPEN) {
      return null;
    }
    try (PreparedStatement statement = connection.prepareStatement(REPOINT)) {
      statement.setString(1, nextAttemptId);
      statement.setInt(2, key.bucket());
      statement.setLong(3, locked.streamId());
      statement.executeUpdate();
    }
    notice(connection, key, locked);
    return locked.nextIndex();
  }

  /**
   * The next index of the stream, if it is OPEN, which stays so until the end of the transaction;
   * null: it is not open.
   */
  public @Nullable Long lockIndexIfOpen(Connection connection, StreamKey key) throws SQLException {
    Head locked = lock(connection, key);
    return locked == null || locked.state() != StreamState.OPEN ? null : locked.nextIndex();
  }

  /**
   * Lets the stream's writers hear that somebody asked for an abort.
   *
   * @return its next index; null: it is not open
   */
  public @Nullable Long requestAbortIfOpen(Connection connection, StreamKey key)
      throws SQLException {
    Head locked = lock(connection, key);
    if (locked == null || locked.state() != StreamState.OPEN) {
      return null;
    }
    if (locked.abortRequested()) {
      return locked.nextIndex();
    }
    try (PreparedStatement statement = connection.prepareStatement(REQUEST_ABORT)) {
      statement.setInt(1, key.bucket());
      statement.setLong(2, locked.streamId());
      statement.executeUpdate();
    }
    notice(connection, key, locked);
    return locked.nextIndex();
  }

  /** Lets all servers' open calls look at the stream after the commit. */
  void notice(Connection connection, StreamKey key, Head locked) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(NOTICE)) {
      statement.setInt(1, key.bucket());
      statement.setLong(2, locked.streamId());
      statement.executeUpdate();
    }
  }

  private static @Nullable Head select(Connection connection, String statementText, StreamKey key)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setInt(1, key.bucket());
      statement.setString(2, key.namespace().name());
      statement.setString(3, key.key());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Head.from(row) : null;
      }
    }
  }
}

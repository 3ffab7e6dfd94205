package io.agentjournal.event;

import com.google.protobuf.UnsafeByteOperations;
import io.agentjournal.database.Columns;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one watch reads, inside a caller's transaction. Stateless and thread-safe. */
final class WatchRows {
  private static final int PAGE_EVENTS = 200;

  /** Bytes of messages after which a page takes no further event. */
  private static final int PAGE_BYTES = 256 << 10;

  static final String SUBMISSION =
      """
      SELECT submission_id, sequence, admitted_at, status = 'SETTLED' AS is_settled
        FROM submissions
       WHERE namespace = ? AND submission_id = ?
      """;

  static final String FROM_SEQUENCE =
      """
      SELECT submission_id, sequence, admitted_at, status = 'SETTLED' AS is_settled
        FROM submissions
       WHERE namespace = ? AND session_key = ? AND sequence >= ?
       ORDER BY sequence
       LIMIT 1
      """;

  /** In one statement: what is admitted in between is either not settled, or not there. */
  static final String SESSION =
      """
      SELECT created_at, next_sequence, deleting_since IS NOT NULL AS is_deleting,
             (SELECT min(sequence)
                FROM session_queue
               WHERE session_queue.namespace = sessions.namespace
                 AND session_queue.session_key = sessions.session_key) AS first_unsettled
        FROM sessions
       WHERE namespace = ? AND session_key = ?
      """;

  static final String EVENTS =
      """
      SELECT event_number, happened_at, stream_index, stream_key, message, following
        FROM (SELECT event_number, happened_at, stream_index, stream_key, message,
                     lead(event_number) OVER (ORDER BY event_number) AS following,
                     sum(octet_length(message)) OVER (ORDER BY event_number ROWS UNBOUNDED PRECEDING)
                       - octet_length(message) AS bytes_before
                FROM (SELECT event_number, happened_at, stream_index, stream_key, message
                        FROM submission_events
                       WHERE namespace = ? AND submission_id = ? AND event_number > ?
                       ORDER BY event_number
                       LIMIT ?) AS next) AS page
       WHERE bytes_before < ?
       ORDER BY event_number
      """;

  static final String OPENED =
      """
      SELECT stream_key
        FROM submission_events
       WHERE namespace = ? AND submission_id = ? AND event_number <= ? AND kind = 'STREAM_OPENED'
       ORDER BY event_number DESC
       LIMIT 1
      """;

  static final String EXISTS =
      """
      SELECT 1
        FROM submission_events
       WHERE namespace = ? AND submission_id = ? AND event_number = ?
      """;

  record SubmissionRow(long sequence, WatchPosition.Watched watched, boolean isSettled) {}

  /**
   * A session.
   *
   * @param born in microseconds
   * @param firstUnsettled sequence of the submission; null: all are settled
   */
  record SessionRow(
      long born, long lastSequence, boolean isDeleting, @Nullable Long firstUnsettled) {}

  /**
   * Some events.
   *
   * @param isCut there are more
   */
  record Events(List<StoredEvent> events, boolean isCut) {}

  @Nullable SubmissionRow submission(Connection connection, SubmissionId id) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SUBMISSION)) {
      statement.setString(1, id.namespace().name());
      statement.setString(2, id.id());
      return submission(statement, id.namespace());
    }
  }

  /** The session's first submission from a place in its order on; null: there is none. */
  @Nullable SubmissionRow fromSequence(Connection connection, SessionKey session, long sequence)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FROM_SEQUENCE)) {
      statement.setString(1, session.namespace().name());
      statement.setString(2, session.key());
      statement.setLong(3, sequence);
      return submission(statement, session.namespace());
    }
  }

  private static @Nullable SubmissionRow submission(
      PreparedStatement statement, io.agentjournal.key.Namespace namespace) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      if (!row.next()) {
        return null;
      }
      return new SubmissionRow(
          row.getLong("sequence"),
          new WatchPosition.Watched(
              new SubmissionId(namespace, row.getString("submission_id")),
              micros(Columns.instant(row, "admitted_at"))),
          row.getBoolean("is_settled"));
    }
  }

  @Nullable SessionRow session(Connection connection, SessionKey session) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SESSION)) {
      statement.setString(1, session.namespace().name());
      statement.setString(2, session.key());
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? new SessionRow(
                micros(Columns.instant(row, "created_at")),
                row.getLong("next_sequence") - 1,
                row.getBoolean("is_deleting"),
                row.getObject("first_unsettled", Long.class))
            : null;
      }
    }
  }

  private static long micros(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }

  Events events(Connection connection, SubmissionId id, long afterNumber) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(EVENTS)) {
      statement.setString(1, id.namespace().name());
      statement.setString(2, id.id());
      statement.setLong(3, afterNumber);
      statement.setInt(4, PAGE_EVENTS);
      statement.setInt(5, PAGE_BYTES);
      try (ResultSet row = statement.executeQuery()) {
        List<StoredEvent> events = new ArrayList<>();
        boolean isCut = false;
        while (row.next()) {
          events.add(event(row, id));
          isCut = row.getObject("following") != null;
        }
        return new Events(events, isCut || events.size() == PAGE_EVENTS);
      }
    }
  }

  private static StoredEvent event(ResultSet row, SubmissionId id) throws SQLException {
    String streamKey = row.getString("stream_key");
    return new StoredEvent(
        row.getLong("event_number"),
        Columns.instant(row, "happened_at"),
        row.getObject("stream_index", Long.class),
        streamKey == null ? null : new StreamKey(id.namespace(), streamKey),
        UnsafeByteOperations.unsafeWrap(row.getBytes("message")));
  }

  /** The stream that was opened last, by this event or before it; null: none was. */
  @Nullable StreamKey opened(Connection connection, SubmissionId id, long eventNumber)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(OPENED)) {
      bind(statement, id, eventNumber);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? new StreamKey(id.namespace(), row.getString(1)) : null;
      }
    }
  }

  boolean exists(Connection connection, SubmissionId id, long eventNumber) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(EXISTS)) {
      bind(statement, id, eventNumber);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  private static void bind(PreparedStatement statement, SubmissionId id, long eventNumber)
      throws SQLException {
    statement.setString(1, id.namespace().name());
    statement.setString(2, id.id());
    statement.setLong(3, eventNumber);
  }
}

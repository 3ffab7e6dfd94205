package io.agentjournal.event;

import io.agentjournal.event.Event.StreamOpened;
import io.agentjournal.key.SubmissionId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/**
 * Writes events, in the transaction in which they happen. That one holds the submission's row FOR
 * UPDATE, or FOR SHARE and the slot's FOR UPDATE: then nobody else draws numbers, they have no
 * holes, and their order is the order of commit. Stateless and thread-safe.
 */
public final class EventRows {
  static final String APPEND =
      """
      INSERT INTO submission_events (namespace, submission_id, event_number, kind, stream_index, stream_key, message)
      SELECT ?, ?, COALESCE(max(event_number), 0) + 1, ?, ?, ?, ?
        FROM submission_events
       WHERE namespace = ? AND submission_id = ?
      """;

  /** Events at which no stream of the submission is open, but for one that they open. */
  public void append(Connection connection, SubmissionId submission, Event... events)
      throws SQLException {
    append(connection, submission, null, events);
  }

  /**
   * Events beside which the submission's stream may go on.
   *
   * @param streamIndex where the stream stands, open and locked; null: none is open any more
   */
  public void append(
      Connection connection, SubmissionId submission, @Nullable Long streamIndex, Event... events)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(APPEND)) {
      for (Event event : events) {
        statement.setString(1, submission.namespace().name());
        statement.setString(2, submission.id());
        statement.setString(3, EventMessages.kind(event));
        statement.setObject(4, streamIndex, Types.BIGINT);
        statement.setString(5, event instanceof StreamOpened opened ? opened.stream().key() : null);
        statement.setBytes(6, EventMessages.stored(event).toByteArray());
        statement.setString(7, submission.namespace().name());
        statement.setString(8, submission.id());
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }
}

package io.agentjournal.event;

import com.google.protobuf.InvalidProtocolBufferException;
import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.v1.WatchSubmissionResponse;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The event list of a submission as it is stored, read beside the server. */
final class StoredEvents {
  private StoredEvents() {}

  /**
   * Each event's text, behind it where the open stream stood, if one was. Fails unless they are
   * numbered from 1 without a hole.
   */
  static List<String> of(DatabaseAddress database, String submissionId) {
    try (Connection connection = TestPostgres.connect(database);
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT event_number, kind, stream_index, message FROM submission_events"
                    + " WHERE submission_id = ? ORDER BY event_number")) {
      statement.setString(1, submissionId);
      try (ResultSet row = statement.executeQuery()) {
        List<String> events = new ArrayList<>();
        while (row.next()) {
          if (row.getLong("event_number") != events.size() + 1) {
            throw new AssertionError(row.getLong("event_number") + " after " + events);
          }
          events.add(text(row));
        }
        return events;
      }
    } catch (SQLException | InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static String text(ResultSet row) throws SQLException, InvalidProtocolBufferException {
    WatchSubmissionResponse message = WatchSubmissionResponse.parseFrom(row.getBytes("message"));
    if (!message.getEventCase().name().equals(row.getString("kind"))) {
      throw new AssertionError(row.getString("kind") + " is stored of " + message);
    }
    String streamIndex = row.getString("stream_index");
    return EventText.of(message) + (streamIndex == null ? "" : " @" + streamIndex);
  }
}

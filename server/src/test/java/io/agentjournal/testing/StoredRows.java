package io.agentjournal.testing;

import io.agentjournal.database.DatabaseAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is really stored of one submission, read beside the server. */
public final class StoredRows {
  private final DatabaseAddress database;
  private final String submissionId;

  public StoredRows(DatabaseAddress database, String submissionId) {
    this.database = database;
    this.submissionId = submissionId;
  }

  public DatabaseAddress database() {
    return database;
  }

  /**
   * Everything about the submission and its session: equal before and after a call that changed
   * nothing.
   */
  public List<String> all() {
    List<String> rows = new ArrayList<>();
    for (String table :
        List.of(
            "submissions",
            "attempts",
            "turn_journals",
            "turns",
            "tool_calls",
            "streams",
            "submission_events")) {
      rows.addAll(
          rows(
              "SELECT '"
                  + table
                  + "', t.* FROM "
                  + table
                  + " t WHERE submission_id = ? ORDER BY t"));
    }
    String session =
        " WHERE session_key = (SELECT session_key FROM submissions WHERE submission_id = ?)";
    rows.addAll(rows("SELECT 'sessions', t.* FROM sessions t" + session));
    rows.addAll(rows("SELECT 'session_queue', t.* FROM session_queue t" + session));
    rows.addAll(rows("SELECT 'entries', t.* FROM entries t" + session + " ORDER BY t"));
    return rows;
  }

  /** State, next index, attempt and finish reason of a stream. */
  public String stream(String streamKey) {
    return one(
        "SELECT concat_ws(' ', state, next_index, attempt_id, finish_reason) FROM streams WHERE"
            + " stream_key = ?",
        streamKey);
  }

  /** The session's leaf. */
  public @Nullable String leaf() {
    return one(
        "SELECT leaf_id FROM sessions WHERE session_key ="
            + " (SELECT session_key FROM submissions WHERE submission_id = ?)",
        submissionId);
  }

  /** Owner, end, reason and successor of each attempt, in their order. */
  public List<String> attempts() {
    return rows(
        "SELECT concat_ws(' ', attempt_id, owner, end_kind, reason, next_attempt_id) FROM attempts"
            + " WHERE submission_id = ? ORDER BY attempt_number");
  }

  /** Ends the lease, as time would. */
  public void expireLease() {
    update(
        "UPDATE submissions SET lease_expires_at = now() - interval '1 second' WHERE submission_id"
            + " = ?");
  }

  public void update(String statementText) {
    try (Connection connection = TestPostgres.connect(database);
        PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setString(1, submissionId);
      if (statement.executeUpdate() == 0) {
        throw new AssertionError("nothing to update: " + statementText);
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private String one(String query, String parameter) {
    List<String> rows = rows(query, parameter);
    if (rows.size() != 1) {
      throw new AssertionError(rows + " for " + query);
    }
    return rows.get(0);
  }

  private List<String> rows(String query) {
    return rows(query, submissionId);
  }

  private List<String> rows(String query, String parameter) {
    try (Connection connection = TestPostgres.connect(database);
        PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setString(1, parameter);
      try (ResultSet row = statement.executeQuery()) {
        ResultSetMetaData columns = row.getMetaData();
        List<String> rows = new ArrayList<>();
        while (row.next()) {
          List<String> values = new ArrayList<>();
          for (int i = 1; i <= columns.getColumnCount(); i++) {
            values.add(String.valueOf(row.getString(i)));
          }
          rows.add(String.join("|", values));
        }
        return rows;
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}

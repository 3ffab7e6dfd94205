package io.agentjournal.submission;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Looks into the tables behind the server's back, and lets time pass there. */
public record Rows(JournalExtension journal) {

  /** As if so much of all leases and deadlines of the submission were over. */
  public void letTimePass(String submissionId, java.time.Duration duration) {
    execute(
        """
        UPDATE submissions
           SET lease_expires_at = lease_expires_at - CAST(? AS interval),
               started_at = started_at - CAST(? AS interval),
               deadline_at = deadline_at - CAST(? AS interval),
               waiting_since = waiting_since - CAST(? AS interval),
               runnable_at = runnable_at - CAST(? AS interval),
               not_before = not_before - CAST(? AS interval),
               recovery_not_before = recovery_not_before - CAST(? AS interval),
               abort_requested_at = abort_requested_at - CAST(? AS interval)
         WHERE submission_id = ?
        """,
        duration,
        duration,
        duration,
        duration,
        duration,
        duration,
        duration,
        duration,
        submissionId);
  }

  /** The lease, and it alone, is over. */
  public void endLease(String submissionId) {
    execute(
        "UPDATE submissions SET lease_expires_at = now() - interval '1 ms' WHERE submission_id = ?",
        submissionId);
  }

  public void execute(String statementText, Object... parameters) {
    try (Connection connection = TestPostgres.connect(journal.database());
        PreparedStatement statement = prepared(connection, statementText, parameters)) {
      statement.executeUpdate();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** The one value that the query answers, as text. */
  public String value(String query, Object... parameters) {
    try (Connection connection = TestPostgres.connect(journal.database());
        PreparedStatement statement = prepared(connection, query, parameters);
        ResultSet row = statement.executeQuery()) {
      if (!row.next()) {
        throw new AssertionError("no row: " + query);
      }
      return String.valueOf(row.getString(1));
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  public long count(String query, Object... parameters) {
    return Long.parseLong(value(query, parameters));
  }

  private static PreparedStatement prepared(
      Connection connection, String statementText, Object... parameters) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(statementText);
    for (int i = 0; i < parameters.length; i++) {
      Object parameter = parameters[i];
      statement.setObject(
          i + 1, parameter instanceof java.time.Duration ? parameter.toString() : parameter);
    }
    return statement;
  }
}

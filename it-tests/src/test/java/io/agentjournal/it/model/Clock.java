package io.agentjournal.it.model;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.testing.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Lets time pass for one submission, in the database: no test has to wait. Thread-safe. */
final class Clock implements AutoCloseable {
  private static final String LEASE =
      """
      UPDATE submissions
         SET lease_expires_at = now() - interval '1 ms'
       WHERE namespace = ? AND submission_id = ? AND status = 'RUNNING'
      """;

  private static final String TIMEOUT =
      """
      UPDATE submissions
         SET deadline_at = LEAST(now(), COALESCE(waiting_since, now())) - interval '1 ms'
       WHERE namespace = ? AND submission_id = ? AND deadline_at IS NOT NULL AND status <> 'SETTLED'
      """;

  private static final String DELAY =
      """
      UPDATE submissions
         SET runnable_at = CASE WHEN runnable_at > now() THEN now() - interval '1 ms'
                                ELSE runnable_at END,
             not_before = not_before - interval '2 h',
             recovery_not_before = recovery_not_before - interval '2 h'
       WHERE namespace = ? AND submission_id = ?
      """;

  private static final String WAITS =
      """
      UPDATE submission_waits
         SET expires_at = expires_at - interval '2 h'
       WHERE namespace = ? AND submission_id = ?
      """;

  private static final String ABORT_GRACE =
      """
      UPDATE submissions
         SET abort_requested_at = abort_requested_at - interval '2 h'
       WHERE namespace = ? AND submission_id = ?
      """;

  private final Connection connection;

  Clock(DatabaseAddress database) throws SQLException {
    this.connection = TestPostgres.connect(database);
  }

  synchronized void pass(String namespace, TimePasses passed) {
    switch (passed.what()) {
      case LEASE -> change(LEASE, namespace, passed);
      case TIMEOUT -> change(TIMEOUT, namespace, passed);
      case DELAY -> {
        change(WAITS, namespace, passed);
        change(DELAY, namespace, passed);
      }
      case ABORT_GRACE -> change(ABORT_GRACE, namespace, passed);
    }
  }

  private void change(String statementText, String namespace, TimePasses passed) {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setString(1, namespace);
      statement.setString(2, passed.submissionId());
      statement.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}

package io.agentjournal.recovery;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class ReconcilerFailureTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  @Test
  void reconciler_outlasts_a_database_that_answers_with_faults() throws SQLException {
    DatabaseAddress address = POSTGRES.emptyDatabase();
    JournalServer server =
        new JournalServer(JournalExtension.settings(address, "--reconcile-interval=50ms"));
    try (Connection connection = TestPostgres.connect(address);
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER TABLE submissions RENAME TO away");
      long before = rolledBack(statement);
      Wait.until("some looks have failed", () -> rolledBack(statement) > before + 3);
      assertTrue(
          Thread.getAllStackTraces().keySet().stream()
              .anyMatch(thread -> thread.getName().equals("reconciler")));
    } finally {
      server.close();
    }
  }

  private static long rolledBack(Statement statement) {
    try (ResultSet row =
        statement.executeQuery(
            "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()")) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}

package io.agentjournal.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DatabaseTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  @ParameterizedTest
  @CsvSource({
    "synchronous_commit, on",
    "lock_timeout, 1s",
    "idle_in_transaction_session_timeout, 10s",
    "TimeZone, UTC",
    "application_name, agentjournal",
    "transaction_isolation, read committed",
  })
  void every_session_has_its_settings(String setting, String value) {
    try (Database database = new Database(POSTGRES.address(), 2)) {
      Transactions transactions = new Transactions(database);
      // A setting that was only the first transaction's would be gone in the second.
      assertEquals(value, show(transactions, setting));
      assertEquals(value, show(transactions, setting));
    }
  }

  private static String show(Transactions transactions, String setting) {
    return transactions.readOnly(
        "show",
        connection -> {
          try (Statement statement = connection.createStatement();
              ResultSet row = statement.executeQuery("SHOW " + setting)) {
            row.next();
            return row.getString(1);
          }
        });
  }

  @Test
  void tests_run_in_a_hostile_time_zone() {
    assertEquals("Asia/Kathmandu", TimeZone.getDefault().getID());
  }

  @Test
  void a_pool_begins_with_one_connection_and_is_full_when_it_was_filled() throws SQLException {
    DatabaseAddress address = POSTGRES.emptyDatabase();
    try (Database database = new Database(address, 6);
        Connection one = database.connection()) {
      assertEquals(1, connectionsTo(address));
      database.fill();
      // That none is left makes it look at once.
      try (Connection other = database.connection()) {
        Wait.until("all are open", () -> connectionsTo(address) == 6);
        assertTrue(one.isValid(1) && other.isValid(1));
      }
    }
  }

  @Test
  void a_pool_of_one_connection_does_not_wait_for_the_database() {
    DatabaseAddress good = POSTGRES.address();
    DatabaseAddress nowhere =
        new DatabaseAddress("jdbc:postgresql://127.0.0.1:1/postgres", good.user(), good.password());
    try (Database database = Database.ofOneConnection(nowhere)) {
      Transactions transactions = new Transactions(database);
      assertThrows(DatabaseUnavailable.class, () -> show(transactions, "TimeZone"));
    }
  }

  @Test
  void a_pool_of_one_connection_has_one() throws SQLException {
    DatabaseAddress address = POSTGRES.emptyDatabase();
    try (Database database = Database.ofOneConnection(address);
        Connection only = database.connection()) {
      assertThrows(SQLException.class, database::connection);
      assertEquals(1, connectionsTo(address));
      assertTrue(only.isValid(1));
    }
  }

  private static long connectionsTo(DatabaseAddress address) {
    // From outside: the pool's own connections are what is counted.
    try (Connection connection = TestPostgres.connect(address);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT count(*) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()
                   AND backend_type = 'client backend'
                """)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void wrong_password_is_told_without_the_password() {
    DatabaseAddress good = POSTGRES.address();
    DatabaseAddress bad = new DatabaseAddress(good.jdbcUrl(), good.user(), "not-the-secret");
    StartRefused refused = assertThrows(StartRefused.class, () -> new Database(bad, 2));
    assertTrue(String.valueOf(refused.getMessage()).contains("password authentication failed"));
    assertTrue(!String.valueOf(refused.getMessage()).contains("not-the-secret"));
  }
}

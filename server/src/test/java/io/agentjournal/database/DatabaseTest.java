package io.agentjournal.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.PostgresExtension;
import java.sql.ResultSet;
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
  void wrong_password_is_told_without_the_password() {
    DatabaseAddress good = POSTGRES.address();
    DatabaseAddress bad = new DatabaseAddress(good.jdbcUrl(), good.user(), "not-the-secret");
    StartRefused refused = assertThrows(StartRefused.class, () -> new Database(bad, 2));
    assertTrue(String.valueOf(refused.getMessage()).contains("password authentication failed"));
    assertTrue(!String.valueOf(refused.getMessage()).contains("not-the-secret"));
  }
}

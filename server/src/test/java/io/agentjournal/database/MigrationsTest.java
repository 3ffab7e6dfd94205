package io.agentjournal.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.TestPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class MigrationsTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  @Test
  void servers_that_start_at_once_on_an_empty_database_all_succeed() throws SQLException {
    DatabaseAddress address = POSTGRES.emptyDatabase();
    List<CompletableFuture<Void>> servers =
        Stream.generate(() -> CompletableFuture.runAsync(() -> new Migrations(address).run()))
            .limit(3)
            .toList();
    servers.forEach(CompletableFuture::join);
    try (Connection connection = TestPostgres.connect(address);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) > 0 AND bool_and(success) FROM agentjournal_schema_history")) {
      row.next();
      assertTrue(row.getBoolean(1));
    }
  }

  @Test
  void schema_that_is_up_to_date_stays_as_it_is() {
    DatabaseAddress address = POSTGRES.emptyDatabase();
    new Migrations(address).run();
    new Migrations(address).run();
  }

  @Test
  void schema_is_up_to_date_once_all_migrations_are_applied_as_they_are_here() throws SQLException {
    DatabaseAddress address = POSTGRES.emptyDatabase();
    try (Database database = new Database(address, 1)) {
      SchemaHistory history = new SchemaHistory(new Transactions(database));
      assertFalse(history.isUpToDate(), "nothing is applied");
      new Migrations(address).run();
      assertTrue(history.isUpToDate());
      change(
          address,
          "UPDATE agentjournal_schema_history SET checksum = checksum + 1 WHERE version = '002'");
      assertFalse(history.isUpToDate(), "another text was applied");
      change(address, "DELETE FROM agentjournal_schema_history WHERE version = '002'");
      assertFalse(history.isUpToDate(), "one is missing");
    }
  }

  private static void change(DatabaseAddress address, String sql) throws SQLException {
    try (Connection connection = TestPostgres.connect(address);
        Statement statement = connection.createStatement()) {
      assertEquals(1, statement.executeUpdate(sql));
    }
  }
}

package io.agentjournal.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

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
          address, "UPDATE agentjournal_schema_history SET success = false WHERE version = '003'");
      assertFalse(history.isUpToDate(), "one has failed");
      change(
          address, "UPDATE agentjournal_schema_history SET success = true WHERE version = '003'");
      assertTrue(history.isUpToDate());
      change(
          address,
          "UPDATE agentjournal_schema_history SET checksum = checksum + 1 WHERE version = '002'");
      assertFalse(history.isUpToDate(), "another text was applied");
      change(address, "DELETE FROM agentjournal_schema_history WHERE version = '002'");
      assertFalse(history.isUpToDate(), "one is missing");
    }
  }

  @Test
  void migrations_are_found_in_a_folder_of_any_name(@TempDir Path parent) throws IOException {
    Path folder = Files.createDirectory(parent.resolve("a folder+100%"));
    var unused = Files.createFile(folder.resolve("V001__first.sql"));
    assertEquals(List.of("V001__first.sql"), MigrationFile.names(folder.toUri().toURL()).toList());
  }

  private static void change(DatabaseAddress address, String sql) throws SQLException {
    try (Connection connection = TestPostgres.connect(address);
        Statement statement = connection.createStatement()) {
      assertEquals(1, statement.executeUpdate(sql));
    }
  }
}

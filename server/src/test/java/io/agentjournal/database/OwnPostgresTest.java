package io.agentjournal.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OwnPostgresTest {
  /** One for all, since making a cluster takes longer than all that these tests do with it. */
  @TempDir static Path directory;

  private static OwnPostgres start() {
    return new OwnPostgres(directory, TestPostgres.BINARIES);
  }

  @Test
  void it_is_durable_local_and_guarded_by_a_password() throws Exception {
    try (OwnPostgres postgres = start()) {
      DatabaseAddress address = postgres.address();
      assertEquals("on", query(address, "SHOW fsync"));
      assertEquals("on", query(address, "SHOW full_page_writes"));
      assertEquals("on", query(address, "SHOW synchronous_commit"));
      assertEquals("127.0.0.1", query(address, "SHOW listen_addresses"));
      assertEquals("UTF8", query(address, "SHOW server_encoding"));
      assertEquals("C", query(address, "SELECT datcollate FROM pg_database LIMIT 1"));
      DatabaseAddress guess = new DatabaseAddress(address.jdbcUrl(), address.user(), "guess");
      SQLException refused = assertThrows(SQLException.class, () -> query(guess, "SELECT 1"));
      assertEquals("28P01", refused.getSQLState());
      assertEquals(
          "rw-------",
          PosixFilePermissions.toString(
              Files.getPosixFilePermissions(directory.resolve("password"))));
    }
  }

  @Test
  void data_survives_a_restart() throws SQLException {
    try (OwnPostgres postgres = start()) {
      execute(
          postgres.address(),
          "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 42 AS answer");
    }
    try (OwnPostgres postgres = start()) {
      assertEquals("42", query(postgres.address(), "SELECT answer FROM kept"));
    }
  }

  @Test
  void second_owner_is_refused_and_the_first_goes_on() throws SQLException {
    try (OwnPostgres postgres = start()) {
      StartRefused refused = assertThrows(StartRefused.class, OwnPostgresTest::start);
      assertTrue(String.valueOf(refused.getMessage()).contains("another agent-journal server"));
      assertEquals("1", query(postgres.address(), "SELECT 1"));
    }
  }

  @Test
  void postgresql_of_a_killed_server_is_stopped_and_nothing_is_lost() throws Exception {
    Process server =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                OrphanMaker.class.getName(),
                directory.toString(),
                TestPostgres.BINARIES.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output = server.inputReader()) {
      assertEquals("committed", output.readLine());
    }
    server.destroyForcibly().waitFor();
    ProcessHandle orphan = ProcessHandle.of(postmaster()).orElseThrow();
    assertTrue(orphan.isAlive());

    try (OwnPostgres postgres = start()) {
      Wait.until("the left one has ended", () -> !orphan.isAlive());
      assertEquals("42", query(postgres.address(), "SELECT answer FROM kept"));
    }
  }

  @Test
  void postgresql_that_is_killed_is_started_again_where_it_was() throws Exception {
    try (OwnPostgres postgres = start()) {
      execute(
          postgres.address(),
          "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 42 AS answer");
      for (int kills = 0; kills < 2; kills++) {
        ProcessHandle killed = ProcessHandle.of(postmaster()).orElseThrow();
        killed.destroyForcibly();
        Wait.until("another one answers", () -> answers(postgres.address()) && !killed.isAlive());
        assertEquals("42", query(postgres.address(), "SELECT answer FROM kept"));
      }
    }
  }

  private static boolean answers(DatabaseAddress address) {
    try {
      return query(address, "SELECT 1").equals("1");
    } catch (SQLException e) {
      return false;
    }
  }

  @Test
  void process_that_has_the_id_of_a_dead_postgresql_is_left_alone() throws Exception {
    Process bystander = new ProcessBuilder("sleep", "600").start();
    try {
      leaveStaleFile(bystander.pid());
      try (OwnPostgres postgres = start()) {
        assertEquals("42", query(postgres.address(), "SELECT answer FROM kept"));
      }
      assertTrue(bystander.isAlive());
    } finally {
      bystander.destroyForcibly();
    }
  }

  @Test
  void postgresql_of_another_directory_is_left_alone(@TempDir Path elsewhere) throws Exception {
    try (OwnPostgres bystander = new OwnPostgres(elsewhere, TestPostgres.BINARIES)) {
      leaveStaleFile(PostmasterFile.in(elsewhere.resolve("postgresql")).orElseThrow().pid());
      try (OwnPostgres postgres = start()) {
        assertEquals("42", query(postgres.address(), "SELECT answer FROM kept"));
      }
      assertEquals("1", query(bystander.address(), "SELECT 1"));
    }
  }

  /** As a power failure leaves it: a file of a PostgreSQL that is no more, with a number. */
  private static void leaveStaleFile(long pid) throws IOException, SQLException {
    List<String> lines;
    Path file = directory.resolve("postgresql").resolve("postmaster.pid");
    try (OwnPostgres postgres = start()) {
      execute(
          postgres.address(),
          "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 42 AS answer");
      lines = Files.readAllLines(file);
    }
    lines.set(0, Long.toString(pid));
    Files.write(file, lines);
  }

  @Test
  void cluster_whose_making_was_interrupted_is_made_anew(@TempDir Path fresh) throws Exception {
    Files.createDirectories(fresh.resolve("postgresql.incomplete").resolve("base"));
    try (OwnPostgres postgres = new OwnPostgres(fresh, TestPostgres.BINARIES)) {
      assertEquals("1", query(postgres.address(), "SELECT 1"));
    }
  }

  @Test
  void cluster_of_another_version_is_refused(@TempDir Path old) throws IOException {
    Files.createDirectories(old.resolve("postgresql"));
    Files.writeString(old.resolve("postgresql").resolve("PG_VERSION"), "9\n");
    StartRefused refused =
        assertThrows(StartRefused.class, () -> new OwnPostgres(old, TestPostgres.BINARIES));
    assertTrue(String.valueOf(refused.getMessage()).contains("PostgreSQL 9"));
  }

  @Test
  void database_that_could_lose_acknowledged_writes_is_refused() throws Exception {
    DatabaseAddress address;
    try (OwnPostgres postgres = start()) {
      address = postgres.address();
    }
    PostgresPrograms programs =
        new PostgresPrograms(
            PostgresBinaries.unpackedInto(TestPostgres.BINARIES), directory.resolve("log"));
    String port = address.jdbcUrl().replaceAll(".*:(\\d+)/.*", "$1");
    String cluster = directory.resolve("postgresql").toString();
    programs.run(
        "pg_ctl",
        List.of(
            "start",
            "--pgdata=" + cluster,
            "--log=" + directory.resolve("log"),
            "--wait",
            "--options=-p " + port + " -c unix_socket_directories= -c fsync=off"));
    try (Database database = new Database(address, 2)) {
      DurabilityCheck check = new DurabilityCheck(new Transactions(database));
      StartRefused refused = assertThrows(StartRefused.class, check::require);
      assertTrue(String.valueOf(refused.getMessage()).contains("fsync = off"));
    } finally {
      programs.run("pg_ctl", List.of("stop", "--pgdata=" + cluster, "--wait"));
    }
  }

  private static long postmaster() throws IOException {
    return PostmasterFile.in(directory.resolve("postgresql")).orElseThrow().pid();
  }

  private static void execute(DatabaseAddress address, String sql) throws SQLException {
    try (Connection connection = TestPostgres.connect(address);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String query(DatabaseAddress address, String sql) throws SQLException {
    try (Connection connection = TestPostgres.connect(address);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}

package io.agentjournal.recovery;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.database.Migrations;
import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What is looked for every quarter of a second is found by an index, however many submissions there
 * are.
 */
final class RecoveryPlansTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  /** Most are settled; of those that run most have a living lease. */
  private static final List<String> FILL =
      List.of(
          """
          INSERT INTO submissions (namespace, submission_id, session_key, sequence, kind, queue, status, input_case,
                                   input, admission_sha256, max_attempts, timeout_ms, attempt_count, attempt_id, owner,
                                   lease_ms, lease_expires_at, started_at, deadline_at)
          SELECT 'default', 'submission-' || i, 'session-' || i, 1, 'DISPATCH', 'default',
                 CASE WHEN i % 20 = 0 THEN 'RUNNING' ELSE 'SETTLED' END, 0, '', '', 10, 3600000, 1,
                 CASE WHEN i % 20 = 0 THEN 'a' END, CASE WHEN i % 20 = 0 THEN 'o' END, 30000,
                 CASE WHEN i % 20 = 0 THEN now() + (i - 1000) * interval '1 second' END,
                 now(), now() + interval '1 hour'
            FROM generate_series(1, 100000) AS i
          """,
          "ANALYZE");

  @SuppressWarnings("NullAway.Init")
  private static DatabaseAddress database;

  @BeforeAll
  static void fill() throws SQLException {
    database = POSTGRES.emptyDatabase();
    new Migrations(database).run();
    try (Connection connection = TestPostgres.connect(database);
        Statement statement = connection.createStatement()) {
      for (String sql : FILL) {
        statement.execute(sql);
      }
    }
  }

  private static void mustUse(List<String> indexes, String sql, Object... parameters)
      throws SQLException {
    StringBuilder plan = new StringBuilder();
    try (Connection connection = TestPostgres.connect(database);
        PreparedStatement statement = connection.prepareStatement("EXPLAIN " + sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          plan.append(row.getString(1)).append('\n');
        }
      }
    }
    assertFalse(plan.toString().contains("Seq Scan on submissions"), plan.toString());
    for (String index : indexes) {
      assertTrue(plan.toString().contains(index), index + " in\n" + plan);
    }
  }

  @Test
  void overdue_submissions_are_found_by_their_leases_and_requests() throws SQLException {
    String[] queues = {"default"};
    mustUse(
        List.of("submissions_leased", "submissions_to_recover"),
        OverdueRows.LIST,
        "default",
        queues,
        queues,
        Instant.EPOCH.atOffset(ZoneOffset.UTC),
        "",
        101);
    mustUse(
        List.of("submissions_leased", "submissions_to_recover"),
        OverdueRows.LIST_RECENT,
        15_000L,
        15_000L);
  }

  @Test
  void spent_submissions_are_found_among_the_overdue_and_those_given_back() throws SQLException {
    mustUse(
        List.of("submissions_leased", "submissions_to_recover", "submissions_overdue"),
        SpentRows.LIST,
        100,
        100);
  }
}

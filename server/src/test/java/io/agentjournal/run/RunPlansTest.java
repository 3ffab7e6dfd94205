package io.agentjournal.run;

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
import java.time.OffsetDateTime;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No statement of the run journal reads more of a table than it needs. */
final class RunPlansTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  private static final OffsetDateTime EPOCH = OffsetDateTime.parse("1970-01-01T00:00:00Z");
  private static final String[] KINDS = {"model_decision", "tool_call", "iteration"};

  private static final List<String> FILL =
      List.of(
          """
          INSERT INTO runs (namespace, run_id, status, claim_id, created_at)
          SELECT 'default', 'run-' || i, CASE WHEN i % 50 = 0 THEN 'RUNNING' ELSE 'DONE' END,
                 'claim-' || i, now() + i * interval '1 s'
            FROM generate_series(1, 20000) AS i
          """,
          """
          INSERT INTO run_events (namespace, run_id, seq, kind, position, version, payload_case,
                                  payload, iteration_index)
          SELECT 'default', 'run-' || r, i, 'iteration', i, i, 2, '{}', i
            FROM generate_series(1, 20) AS r, generate_series(1, 2000) AS i
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

  @Test
  void appends_find_their_runs_by_key() throws SQLException {
    String[] runs = {"run-1", "run-77", "run-900"};
    mustUse("runs_pkey", RunHeads.LOCK, "default", "run-1");
    mustUse("runs_pkey", RunHeads.LOCK_FREE, "default", runs);
    mustUse("runs_pkey", RunHeads.ADVANCE, 3, "default", runs);
  }

  @Test
  void events_are_read_from_where_they_are_asked_for() throws SQLException {
    int part = 1 << 20;
    mustUse(
        "run_events_pkey",
        EventRows.PAGE,
        part,
        part,
        "default",
        "run-7",
        1_500L,
        Long.MAX_VALUE,
        1_500L,
        3L,
        KINDS,
        1_000,
        part);
    mustUse("run_events_pkey", EventRows.PART, 1, part, "default", "run-7", 3L, "iteration", 3L);
    mustUse("run_events_pkey", EventRows.FIND, part, part, "default", "run-7", 3L, "iteration");
    mustUse("run_events_iterations", EventRows.LAST_ITERATION, "default", "run-7");
    mustUse("run_events", EventRows.ORDER, "default", "run-7");
  }

  @Test
  void runs_are_listed_in_the_order_of_an_index() throws SQLException {
    mustUse("runs_in_order", RunListRows.LIST, 1 << 20, "default", EPOCH, "", 101);
    mustUse(
        "runs_by_status",
        RunListRows.LIST_BY_STATUS,
        1 << 20,
        "default",
        "RUNNING",
        EPOCH,
        "",
        101);
    mustUse("runs_by_status", RunListRows.LIST_INTERRUPTED, 1 << 20, "default", EPOCH, "", 101);
    mustUse("runs_by_status", RunListRows.OLDEST_INTERRUPTED, "default", new String[] {}, 20);
    mustUse("runs_of_claim", RunListRows.HELD_BY, "default", "claim-7", "owner");
  }

  /** Fails on a sequential scan, and where the index is not used. */
  private static void mustUse(String index, String sql, Object... parameters) throws SQLException {
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
    assertFalse(plan.toString().contains("Seq Scan"), plan.toString());
    assertTrue(plan.toString().contains(index), index + " in\n" + plan);
  }
}

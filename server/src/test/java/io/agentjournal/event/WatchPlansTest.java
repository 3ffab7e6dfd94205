package io.agentjournal.event;

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
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Neither writing nor watching events reads more of a table than it is about. */
final class WatchPlansTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  private static final List<String> FILL =
      List.of(
          """
          INSERT INTO sessions (namespace, session_key, next_sequence)
          SELECT 'default', 'session-' || i, 3
            FROM generate_series(1, 10000) AS i
          """,
          """
          INSERT INTO session_queue (namespace, session_key, sequence, submission_id)
          SELECT 'default', 'session-' || i, 2, 'submission-' || i
            FROM generate_series(1, 10000) AS i
          """,
          """
          INSERT INTO submissions (namespace, submission_id, session_key, sequence, kind, queue, status, input_case,
                                   input, admission_sha256, max_attempts, timeout_ms)
          SELECT 'default', 'submission-' || i, 'session-' || i / 2, i % 2, 'DISPATCH', 'default', 'SETTLED', 0, '', '',
                 10, 3600000
            FROM generate_series(1, 20000) AS i
          """,
          """
          INSERT INTO submission_events (namespace, submission_id, event_number, kind, message)
          SELECT 'default', 'submission-' || i, n,
                 CASE WHEN n % 10 = 4 THEN 'STREAM_OPENED' ELSE 'STATUS_CHANGED' END, '\\x22020801'
            FROM generate_series(1, 500) AS i, generate_series(1, 200) AS n
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

  /** Fails on a sequential scan, and where a named index is not used. */
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
    assertFalse(plan.toString().contains("Seq Scan"), plan.toString());
    for (String index : indexes) {
      assertTrue(plan.toString().contains(index), index + " in\n" + plan);
    }
  }

  @Test
  void number_of_an_event_is_read_off_the_end_of_its_list() throws SQLException {
    mustUse(
        List.of("Index Only Scan Backward using submission_events_pkey", "Limit"),
        EventRows.APPEND,
        "default",
        "submission-7",
        "STATUS_CHANGED",
        5L,
        "key",
        new byte[4],
        "default",
        "submission-7");
  }

  @Test
  void page_of_events_begins_where_it_is_asked_for() throws SQLException {
    mustUse(
        List.of("submission_events_pkey", "Limit"),
        WatchRows.EVENTS,
        "default",
        "submission-7",
        100L,
        200,
        262_144);
    mustUse(
        List.of("Backward using submission_events_pkey", "Limit"),
        WatchRows.OPENED,
        "default",
        "submission-7",
        100L);
    mustUse(List.of("submission_events_pkey"), WatchRows.EXISTS, "default", "submission-7", 100L);
  }

  @Test
  void submissions_and_sessions_are_found_by_their_keys() throws SQLException {
    mustUse(List.of("submissions_pkey"), WatchRows.SUBMISSION, "default", "submission-7");
    mustUse(
        List.of("submissions_of_session", "Limit"),
        WatchRows.FROM_SEQUENCE,
        "default",
        "session-7",
        1L);
    mustUse(
        List.of("sessions_pkey", "session_queue_pkey"), WatchRows.SESSION, "default", "session-7");
  }

  @Test
  void look_for_all_that_wait_takes_one_row_of_each() throws SQLException {
    String[] namespaces = {"default", "default", "default"};
    mustUse(
        List.of("submission_events_pkey", "Limit"),
        WaitingRows.WITH_EVENTS,
        namespaces,
        new String[] {"submission-7", "submission-8", "submission-9"},
        new long[] {200, 200, 199});
    mustUse(
        List.of("sessions_pkey"),
        WaitingRows.MOVED_SESSIONS,
        namespaces,
        new String[] {"session-7", "session-8", "session-9"},
        new long[] {2, 2, 1});
  }
}

package io.agentjournal.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.TestPostgres;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Every statement of the server, found as a constant of one of its classes, on tables that have
 * grown: none reads a table, or an index, from end to end.
 */
final class StatementPlansTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  /** The first that can plan a statement without its parameters. */
  private static final int LEAST_VERSION = 16;

  private static final int ROWS = Boolean.getBoolean("journal.thorough") ? 1_000_000 : 10_000;

  private static final Pattern STATEMENT =
      Pattern.compile("\\s*(SELECT|UPDATE|INSERT|DELETE|WITH)\\s.*", Pattern.DOTALL);

  private static final Pattern PARAMETER = Pattern.compile("\\?");

  /** By name and by what it may do all the same: why. */
  private static final Map<String, String> MAY_READ_WHOLE =
      Map.of(
          "segment.DeletionStore.UNFINISHED", "a row is there only while a stream is deleted",
          "database.SchemaHistory.APPLIED", "a row is there for each migration");

  private static final List<String> FILL =
      List.of(
          "INSERT INTO sessions (namespace, session_key) SELECT 'default', 's' || i FROM n",
          "INSERT INTO session_queue SELECT 'default', 's' || i, 1, 'sub' || i FROM n",
          """
          INSERT INTO entries (namespace, session_key, entry_id, entry_number, depth, jump_id, jump_depth, kind,
                               payload_case, payload, submission_id, turn_id)
          SELECT 'default', 's' || i / 100 + 1, 'e' || i, i % 100, 0, 'e', 0, 'user', 0, '', 'sub' || i, 't' FROM n
          """,
          """
          INSERT INTO submissions (namespace, submission_id, session_key, sequence, kind, queue, status, input_case,
                                   input, admission_sha256, max_attempts, timeout_ms, attempt_id, owner,
                                   lease_expires_at, deadline_at, runnable_at, recovery_requested_at,
                                   recovery_not_before)
          SELECT 'default', 'sub' || i, 's' || i, 1, 'DISPATCH', 'q' || i % 10,
                 (ARRAY['QUEUED', 'RUNNING', 'SETTLED', 'SETTLED'])[i % 4 + 1], 0, '', '', 1, 1,
                 CASE i % 4 WHEN 1 THEN 'a' END, CASE i % 4 WHEN 1 THEN 'o' || i % 100 END,
                 CASE i % 4 WHEN 1 THEN now() + i * interval '1 s' END,
                 CASE i % 8 WHEN 0 THEN now() + i * interval '1 s' END,
                 CASE i % 4 WHEN 0 THEN now() + i * interval '1 s' END,
                 CASE i % 8 WHEN 1 THEN now() END, CASE i % 8 WHEN 1 THEN now() END
            FROM n
          """,
          """
          INSERT INTO attempts (namespace, submission_id, attempt_id, attempt_number, owner)
          SELECT 'default', 'sub' || i, 'a', 1, 'o' FROM n
          """,
          """
          INSERT INTO receipts (namespace, submission_id, session_key, kind, admission_sha256)
          SELECT 'default', 'sub' || i, 's' || i, 'DISPATCH', '' FROM n
          """,
          """
          INSERT INTO submission_waits (namespace, submission_id, wait_id) SELECT 'default', 'sub' || i, 'w' FROM n
          """,
          "INSERT INTO next_claims SELECT 'default', 'a' || i, 'o', 'sub' || i, 'c', 1 FROM n",
          """
          INSERT INTO submission_events (namespace, submission_id, event_number, kind, message)
          SELECT 'default', 'sub' || i / 10, i % 10, 'claimed', '' FROM n
          """,
          """
          INSERT INTO turn_journals (namespace, submission_id, session_key, kind, attempt_id, turn_id, revision,
                                     phase, begun_by, operation_id)
          SELECT 'default', 'sub' || i, 's' || i, 'DISPATCH', 'a', 't', 1, 'committed', 'a', 'o' FROM n
          """,
          """
          INSERT INTO turns (namespace, submission_id, turn_id, revision, phase, begun_by, operation_id, created_at,
                             final)
          SELECT 'default', 'sub' || i, 't', 1, 'committed', 'a', 'o', now(), false FROM n
          """,
          """
          INSERT INTO tool_calls (namespace, submission_id, turn_id, tool_call_id, position, name, arguments,
                                  restart_safe, idempotency_key)
          SELECT 'default', 'sub' || i, 't', 'c', 0, 'n', '', false, 'k' FROM n
          """,
          """
          INSERT INTO streams (bucket, namespace, stream_key, content_type, submission_id)
          SELECT i % 64, 'default', 'stream' || i, '', 'sub' || i FROM n
          """,
          """
          INSERT INTO extents (bucket, stream_id, first_index, segment_count, format, checksum, data)
          SELECT i / 100 % 64, i / 100, i % 100, 1, 1, 0, 'x' FROM n
          """,
          """
          INSERT INTO compact_extents (bucket, stream_id, first_index, segment_count, format, checksum, plain_bytes,
                                       data)
          SELECT i / 100 % 64, i / 100, i % 100, 1, 1, 0, 1, 'x' FROM n
          """,
          """
          INSERT INTO stream_notices (bucket, stream_id, noticed_at)
          SELECT i % 64, i, now() - i * interval '10 ms' FROM n
          """,
          "INSERT INTO stream_deletions SELECT i % 64, i, now() - i * interval '10 ms' FROM n",
          """
          INSERT INTO runs (namespace, run_id, status, claim_id, created_at)
          SELECT 'default', 'r' || i, 'RUNNING', 'c' || i, now() - i * interval '1 s' FROM n
          """,
          """
          INSERT INTO run_claims (namespace, run_id, claim_id, owner) SELECT 'default', 'r' || i, 'c' || i, 'o' FROM n
          """,
          """
          INSERT INTO run_events (namespace, run_id, seq, kind, position, version, payload_case, payload,
                                  iteration_index)
          SELECT 'default', 'r' || i / 100, i % 100, 'iteration', i % 100, 1, 0, '', i % 100 FROM n
          """);

  @SuppressWarnings("NullAway.Init")
  private static DatabaseAddress database;

  @BeforeAll
  static void fill() throws SQLException {
    database = POSTGRES.emptyDatabase();
    new Migrations(database).run();
    try (Connection connection = TestPostgres.connect(database);
        Statement statement = connection.createStatement()) {
      int version = connection.getMetaData().getDatabaseMajorVersion();
      assumeTrue(version >= LEAST_VERSION, "PostgreSQL " + version + " has no generic plans");
      statement.execute("SET synchronous_commit = off");
      for (String sql : FILL) {
        statement.execute(sql.replace("FROM n", "FROM generate_series(1, " + ROWS + ") AS i"));
      }
      statement.execute("VACUUM ANALYZE");
    }
  }

  @Test
  void every_table_has_grown() throws SQLException {
    List<String> small = new ArrayList<>();
    try (Connection connection = TestPostgres.connect(database);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT relname FROM pg_class
                 WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples < %d
                   AND relname <> 'agentjournal_schema_history'
                """
                    .formatted(ROWS))) {
      while (row.next()) {
        small.add(row.getString(1));
      }
    }
    assertEquals(List.of(), small);
  }

  /** B095 among them: what is deleted costs as much as there is of it. */
  @Test
  void no_statement_reads_a_table_or_an_index_from_end_to_end() throws Exception {
    Map<String, String> statements = statements();
    assertTrue(statements.size() > 100, "found " + statements.size());
    Map<String, String> bad = new TreeMap<>();
    try (Connection connection = TestPostgres.connect(inSimpleMode());
        Statement explaining = connection.createStatement()) {
      // As on the server's sessions: what is left is what cannot be done otherwise.
      explaining.execute("SET enable_seqscan = off");
      for (Map.Entry<String, String> named : statements.entrySet()) {
        String plan = plan(explaining, named.getValue());
        if (readsWhole(plan) && !MAY_READ_WHOLE.containsKey(named.getKey())) {
          bad.put(named.getKey(), "\n" + named.getValue() + "\n" + plan);
        }
      }
    }
    assertEquals(Map.of(), bad);
  }

  /** Parameters are for the planner, not for the driver. */
  private static DatabaseAddress inSimpleMode() {
    String url = database.jdbcUrl();
    return new DatabaseAddress(
        url + (url.contains("?") ? "&" : "?") + "preferQueryMode=simple",
        database.user(),
        database.password());
  }

  private static String plan(Statement explaining, String sql) {
    StringBuilder plan = new StringBuilder();
    try (ResultSet row = explaining.executeQuery("EXPLAIN (GENERIC_PLAN) " + numbered(sql))) {
      while (row.next()) {
        plan.append(row.getString(1)).append('\n');
      }
    } catch (SQLException e) {
      return "not planned: " + e.getMessage();
    }
    return plan.toString();
  }

  /** With PostgreSQL's parameters in the place of JDBC's. */
  private static String numbered(String sql) {
    AtomicInteger parameter = new AtomicInteger();
    return PARAMETER.matcher(sql).replaceAll(found -> "\\$" + parameter.incrementAndGet());
  }

  /** An index that is read in order, up to a limit, is read as far as is asked for. */
  private static boolean readsWhole(String plan) {
    if (plan.contains("Seq Scan") || plan.startsWith("not planned")) {
      return true;
    }
    List<String> lines = plan.lines().toList();
    boolean limited = plan.contains("Limit");
    for (int i = 0; i < lines.size(); i++) {
      boolean scans = lines.get(i).matches(".*(Index Scan|Index Only Scan|Bitmap Index Scan).*");
      if (scans && !limited && !hasCondition(lines, i)) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasCondition(List<String> lines, int scan) {
    for (String line : lines.subList(scan + 1, lines.size())) {
      if (line.contains("Index Cond")) {
        return true;
      }
      if (line.contains("->")) {
        return false;
      }
    }
    return false;
  }

  /** Those that are the beginning of another of their class are parts. */
  private static Map<String, String> statements() throws Exception {
    Map<String, String> statements = new TreeMap<>();
    for (Class<?> type : classes()) {
      Map<String, String> ofClass = new TreeMap<>();
      for (Field field : type.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers())) {
          field.setAccessible(true);
          add(ofClass, name(type) + "." + field.getName(), field.get(null));
        }
      }
      ofClass.forEach(
          (name, sql) -> {
            boolean isPart =
                ofClass.values().stream()
                    .anyMatch(other -> !other.equals(sql) && other.startsWith(sql.strip()));
            if (!isPart) {
              statements.put(name, sql);
            }
          });
    }
    return statements;
  }

  private static String name(Class<?> type) {
    return type.getName().replace("io.agentjournal.", "");
  }

  private static void add(Map<String, String> statements, String name, Object constant) {
    if (constant instanceof String text && STATEMENT.matcher(text).matches()) {
      statements.put(name, text);
    } else if (constant instanceof List<?> list) {
      for (int i = 0; i < list.size(); i++) {
        add(statements, name + "[" + i + "]", list.get(i));
      }
    }
  }

  private static List<Class<?>> classes()
      throws IOException, URISyntaxException, ClassNotFoundException {
    Path root = Path.of(Database.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Path> files;
    try (Stream<Path> found = Files.walk(root)) {
      files = found.filter(file -> file.toString().endsWith(".class")).toList();
    }
    List<Class<?>> classes = new ArrayList<>();
    for (Path file : files) {
      String path = root.relativize(file).toString();
      if (path.endsWith("-info.class")) {
        continue;
      }
      String name = path.replace(".class", "").replace('/', '.');
      classes.add(Class.forName(name));
    }
    assertTrue(classes.size() > 200, Arrays.toString(classes.toArray()));
    return classes;
  }
}

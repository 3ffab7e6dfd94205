package io.agentjournal.segment;

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

/** No statement of the read side reads more of a table than it answers. */
final class StreamPlansTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  private static final List<String> FILL =
      List.of(
          """
          INSERT INTO streams (bucket, namespace, stream_key, content_type, submission_id)
          SELECT i % 64, 'default', 'stream-' || i, '', 'submission-' || i % 500
            FROM generate_series(1, 20000) AS i
          """,
          """
          INSERT INTO extents (bucket, stream_id, first_index, segment_count, format, checksum, data)
          SELECT s.bucket, s.stream_id, i, 1, 1, 0, 'x'
            FROM (SELECT * FROM streams ORDER BY stream_id LIMIT 20) AS s,
                 generate_series(0, 1999) AS i
          """,
          """
          INSERT INTO compact_extents (bucket, stream_id, first_index, segment_count, format, checksum, plain_bytes,
                                       data)
          SELECT bucket, stream_id, first_index, 1, 1, 0, 1, 'x' FROM extents
          """,
          """
          INSERT INTO stream_notices (bucket, stream_id, noticed_at)
          SELECT i % 64, i, now() - i * interval '10 ms'
            FROM generate_series(1, 20000) AS i
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
  void a_page_begins_where_it_is_asked_for() throws SQLException {
    mustUse(List.of("extents_pkey"), PageStore.PAGE, 1, 1L, 1, 1L, 1_500L, 1_500L, 1_000, 262_144);
    mustUse(List.of(), PageStore.HEAD, 1, 1L);
  }

  @Test
  void the_watch_looks_only_at_what_is_watched() throws SQLException {
    long[] ids = {5, 17, 900};
    mustUse(List.of("streams_by_id"), WatchStore.HEADS, (Object) ids);
    mustUse(List.of("streams_by_id", "extents_pkey"), WatchStore.MOVED, ids, new long[] {1, 2, 3});
    mustUse(
        List.of(),
        WatchStore.HEADS_BY_KEY,
        new int[] {1, 2},
        new String[] {"default", "default"},
        new String[] {"stream-1", "stream-2"});
  }

  @Test
  void those_who_tell_streams_among_other_things_look_only_at_theirs() throws SQLException {
    mustUse(
        List.of("extents_pkey"),
        StretchRows.MOVED,
        new int[] {1, 2},
        new String[] {"default", "default"},
        new String[] {"stream-1", "stream-2"},
        new long[] {0, 1_500});
  }

  @Test
  void only_recent_notices_are_read() throws SQLException {
    mustUse(List.of("stream_notices_recent"), WatchStore.NOTICES, 15.0);
  }

  @Test
  void a_page_of_streams_is_read_in_order() throws SQLException {
    String[] states = {"OPEN", "COMPLETE", "FAILED", "SUPERSEDED"};
    mustUse(
        List.of("streams_in_order"),
        StreamStore.PAGE,
        "default",
        "stream-",
        "stream.",
        "stream-5",
        states,
        101);
    mustUse(
        List.of("streams_of_submission"),
        StreamStore.PAGE_OF_SUBMISSION,
        "default",
        "stream-",
        "stream.",
        "stream-5",
        states,
        "submission-7",
        101);
    mustUse(List.of(), StreamRows.FIND, 1, "default", "stream-1");
  }

  @Test
  void a_slice_of_a_deletion_is_found_by_its_stream() throws SQLException {
    mustUse(List.of("extents_pkey"), DeletionStore.SLICE, 1, 1L, 1, 1L);
    mustUse(List.of("compact_extents_pkey"), DeletionStore.COMPACT_SLICE, 1, 1L, 1, 1L);
  }

  @Test
  void what_is_at_rest_is_found_by_its_stream_and_index() throws SQLException {
    List<String> index = List.of("compact_extents_pkey");
    mustUse(index, CompactRows.PAGE, 1, 1L, 1, 1L, 1_500L, 1_500L, 1_000, 262_144);
    mustUse(index, CompactRows.STORED, 1, 1L, 1_600L, 1, 1L, 1_500L, 1_500L);
    mustUse(index, CompactRows.END, 1, 1L);
  }

  @Test
  void what_is_to_be_compacted_is_found_by_its_bucket() throws SQLException {
    mustUse(List.of("extents_pkey"), CompactionStore.LOOK, 1, 1L, 1, 1, 60.0, 200);
    mustUse(List.of(), CompactionStore.LOCK, 1, 1L);
    mustUse(List.of("extents_pkey"), CompactionStore.STRETCH, 1, 1L, 1_500L, 4_000, 1 << 20);
  }
}

package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.database.Database;
import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.database.Transactions;
import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.Segment;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Where PostgreSQL puts the rows of streams at rest. */
final class StreamsOnDiskTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  private static final int STREAMS = 30;
  private static final int TOKENS = 200;
  private static final int TOKEN_BYTES = 24;

  private static final String IN_EXTENTS = "SELECT count(*) FROM extents";

  private static final String PAGES =
      "SELECT pg_relation_size('compact_extents') / current_setting('block_size')::int";

  private static final String TOAST =
      """
      SELECT pg_relation_size(reltoastrelid)
        FROM pg_class
       WHERE oid = 'compact_extents'::regclass
      """;

  private static List<Segment> tokens(Random random) {
    List<Segment> tokens = new ArrayList<>();
    for (int i = 0; i < TOKENS; i++) {
      byte[] data = new byte[TOKEN_BYTES];
      random.nextBytes(data);
      tokens.add(Segment.newBuilder().setData(ByteString.copyFrom(data)).build());
    }
    return tokens;
  }

  private static long number(DatabaseAddress database, String sql) {
    try (Connection connection = TestPostgres.connect(database);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static void compact(DatabaseAddress database, Database pool) {
    StreamCompaction compaction = new StreamCompaction(new Transactions(pool), Duration.ZERO, 100);
    try {
      Wait.until("all are compacted", () -> number(database, IN_EXTENTS) == 0);
    } finally {
      compaction.close();
    }
  }

  /** Two thirds of a page are needed for each; as one row each would have a page or be in TOAST. */
  @Test
  void short_streams_share_pages_of_the_table_and_nothing_of_them_is_in_toast() {
    DatabaseAddress database = POSTGRES.emptyDatabase();
    Random random = new Random(1);
    try (SegmentParts parts = new SegmentParts(database);
        Database pool = new Database(database, 1)) {
      List<TestStream> streams = new ArrayList<>();
      List<List<Segment>> written = new ArrayList<>();
      for (int i = 0; i < STREAMS; i++) {
        streams.add(new TestStream(parts.channel()));
        written.add(tokens(random));
        streams.get(i).put(0, written.get(i)).complete("stop");
      }
      compact(database, pool);
      assertEquals(0, number(database, TOAST));
      long pages = number(database, PAGES);
      assertTrue(pages < STREAMS * 0.8, pages + " pages");
      for (int i = 0; i < STREAMS; i++) {
        for (int start : new int[] {0, 1, TOKENS / 2 - 1, TOKENS / 2, TOKENS - 1}) {
          Reading reading = Reading.of(parts.channel(), streams.get(i).read().setStartIndex(start));
          var unused = reading.awaitEnd();
          assertEquals(written.get(i).subList(start, TOKENS), reading.segments());
        }
      }
    }
  }
}

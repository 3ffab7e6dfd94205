package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.database.Database;
import io.agentjournal.database.Transactions;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.DeleteStreamResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc.SegmentServiceBlockingStub;
import io.agentjournal.v1.StreamState;
import io.grpc.Status;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class DeleteStreamTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final TestStream stream = new TestStream(JOURNAL.channel());
  private final SegmentServiceBlockingStub stub =
      SegmentServiceGrpc.newBlockingStub(JOURNAL.channel());

  private DeleteStreamResponse delete(String key) {
    return stub.deleteStream(DeleteStreamRequest.newBuilder().setStreamKey(key).build());
  }

  private StreamState state(String key) {
    return stub.getStream(GetStreamRequest.newBuilder().setStreamKey(key).build())
        .getStream()
        .getState();
  }

  private static long rows(String table, String key) {
    try (Connection connection = TestPostgres.connect(JOURNAL.database());
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT count(*) FROM "
                    + table
                    + " WHERE stream_id = (SELECT stream_id FROM streams WHERE stream_key = ?)")) {
      statement.setString(1, key);
      try (ResultSet row = statement.executeQuery()) {
        assertTrue(row.next());
        return row.getLong(1);
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void the_segments_go_and_a_tombstone_stays() {
    for (int i = 0; i < 5; i++) {
      stream.put(i, "x");
    }
    assertEquals(5, rows("extents", stream.key()));
    assertTrue(delete(stream.key()).getApplied());
    assertEquals(0, rows("extents", stream.key()));
    assertEquals(0, rows("stream_deletions", stream.key()));
    assertEquals(StreamState.STREAM_STATE_DELETED, state(stream.key()));
  }

  @Test
  void the_key_stays_refused() {
    stream.put(0, "x");
    var unused = delete(stream.key());
    Refused.from(() -> stream.put(0, "x"))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STREAM_DELETED,
            "stream_key",
            stream.key());
  }

  @Test
  void the_same_again_succeeds_and_changes_nothing() {
    stream.put(0, "x").complete("stop");
    assertTrue(delete(stream.key()).getApplied());
    assertFalse(delete(stream.key()).getApplied());
  }

  @Test
  void a_stream_that_is_not_there_is_refused() {
    Refused.from(() -> delete(stream.key()))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_STREAM_NOT_FOUND);
  }

  @Test
  void a_stream_that_the_slot_of_an_unsettled_submission_names_is_in_use() {
    BoundStream bound = new BoundStream(JOURNAL.database());
    bound.submission("RUNNING", true);
    Refused.from(() -> delete(bound.key()))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STREAM_IN_USE,
            "stream_key",
            bound.key(),
            "submission_id",
            bound.attempt().getSubmissionId());
    assertEquals(StreamState.STREAM_STATE_OPEN, state(bound.key()));
    bound.submission("WAITING", true);
    Refused.from(() -> delete(bound.key()))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STREAM_IN_USE);
  }

  @Test
  void a_stream_of_an_earlier_turn_or_of_a_settled_submission_is_not_in_use() {
    BoundStream earlier = new BoundStream(JOURNAL.database());
    earlier.submission("RUNNING", false);
    assertTrue(delete(earlier.key()).getApplied());
    BoundStream settled = new BoundStream(JOURNAL.database());
    settled.submission("SETTLED", true);
    assertTrue(delete(settled.key()).getApplied());
  }

  @Test
  void a_submission_that_is_just_being_settled_is_waited_for() throws Exception {
    BoundStream bound = new BoundStream(JOURNAL.database());
    bound.submission("RUNNING", true);
    CompletableFuture<DeleteStreamResponse> answer = new CompletableFuture<>();
    bound.submission(
        "SETTLED",
        true,
        () -> {
          var unused = answer.completeAsync(() -> delete(bound.key()));
          Wait.until("the deletion waits for a lock", DeleteStreamTest::somebodyWaitsForALock);
        });
    assertTrue(answer.get(30, TimeUnit.SECONDS).getApplied());
  }

  private static boolean somebodyWaitsForALock() {
    try (Connection connection = TestPostgres.connect(JOURNAL.database());
        PreparedStatement statement =
            connection.prepareStatement(
                """
                SELECT 1 FROM pg_stat_activity
                 WHERE wait_event_type = 'Lock' AND query LIKE '%FROM submissions%FOR SHARE%'
                """);
        ResultSet row = statement.executeQuery()) {
      return row.next();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** A crash between the tombstone and the last slice. */
  @Test
  void a_deletion_that_was_interrupted_is_finished_by_any_server() {
    stream.put(0, "x").put(1, "y");
    execute("UPDATE streams SET state = 'DELETED' WHERE stream_key = ?", stream.key());
    execute(
        """
        INSERT INTO stream_deletions (bucket, stream_id, deleted_at)
        SELECT bucket, stream_id, now() - interval '61 s' FROM streams WHERE stream_key = ?
        """,
        stream.key());
    sweep();
    assertEquals(0, rows("extents", stream.key()));
    assertEquals(0, rows("stream_deletions", stream.key()));
  }

  /** B046 */
  @Test
  void notices_are_forgotten_after_a_minute() {
    stream.put(0, "x");
    execute(
        """
        INSERT INTO stream_notices (bucket, stream_id, noticed_at)
        SELECT bucket, stream_id, now() - age FROM streams, unnest(ARRAY[interval '50 s', interval '61 s']) AS age
         WHERE stream_key = ?
        """,
        stream.key());
    sweep();
    assertEquals(1, rows("stream_notices", stream.key()));
  }

  private static void sweep() {
    try (Database database = new Database(JOURNAL.database(), 1);
        StreamSweep sweep = new StreamSweep(new Transactions(database))) {
      sweep.sweep();
    }
  }

  private static void execute(String sql, String key) {
    try (Connection connection = TestPostgres.connect(JOURNAL.database());
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, key);
      statement.executeUpdate();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}

package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.TestPostgres;
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
}

package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.Segment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Writers and a database that does not keep up. */
final class AppendFlowControlTest {
  private static final int SEGMENT_BYTES = 64 << 10;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final TestStream locked = new TestStream(JOURNAL.channel()).put(0, "a");

  /** Somebody else's transaction holds the head of the stream. */
  private Connection lock() throws SQLException {
    Connection connection = TestPostgres.connect(JOURNAL.database());
    connection.setAutoCommit(false);
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT 1 FROM streams WHERE stream_key = ? FOR UPDATE")) {
      statement.setString(1, locked.key());
      assertTrue(statement.executeQuery().next());
    }
    return connection;
  }

  @Test
  void a_head_that_is_locked_does_not_hold_up_other_streams() throws SQLException {
    Appending waiting;
    try (Connection holder = lock()) {
      waiting = Appending.session(JOURNAL.channel()).open(locked.open()).texts(1, "b");
      // As many that each lane has some.
      List<Appending> others = new ArrayList<>();
      for (int i = 0; i < 32; i++) {
        TestStream other = new TestStream(JOURNAL.channel());
        others.add(Appending.session(JOURNAL.channel()).open(other.open()).texts(0, "a"));
      }
      for (Appending other : others) {
        other.awaitNextIndex(1);
        assertEquals(1, other.texts(1, "b").halfClose().awaitEnd().getNextIndex() - 1);
      }
      assertEquals(List.of(), waiting.answers());
      assertFalse(waiting.isOver());
      holder.rollback();
    }
    assertEquals(2, waiting.halfClose().awaitEnd().getNextIndex());
  }

  /** B075, B076 */
  @Test
  void a_client_that_pushes_against_a_database_that_stands_still_is_stopped_and_loses_nothing()
      throws SQLException {
    Segment segment =
        Segment.newBuilder().setData(ByteString.copyFrom(new byte[SEGMENT_BYTES])).build();
    Appending call;
    int sent;
    try (Connection holder = lock()) {
      call = Appending.segments(JOURNAL.channel()).open(locked.open());
      sent = 0;
      long ready = System.nanoTime();
      // Until the transport has taken nothing for a while.
      while (System.nanoTime() - ready < PATIENCE_NANOS && sent < 4_000) {
        if (call.isReady()) {
          call.segments(1 + sent, List.of(segment));
          sent++;
          ready = System.nanoTime();
        } else {
          Thread.onSpinWait();
        }
      }
      assertTrue((long) sent * SEGMENT_BYTES < 16L << 20, sent + " segments of 64 KiB were taken");
      holder.rollback();
    }
    AppendSegmentsResponse answer = call.halfClose().awaitEnd();
    assertEquals(1 + sent, answer.getNextIndex());
    assertEquals(sent, answer.getAppended());
  }
}

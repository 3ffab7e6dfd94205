package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.StreamState;
import io.grpc.Status;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is particular to acknowledgements that come while the client writes. */
final class AppendSessionTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final TestStream stream = new TestStream(JOURNAL.channel());

  private Appending open() {
    return Appending.session(JOURNAL.channel()).open(stream.open());
  }

  @Test
  void the_first_answer_comes_at_once_and_tells_next_index() {
    AppendSegmentsResponse first = open().awaitNextIndex(0);
    assertEquals(0, first.getNextIndex());
    assertEquals(StreamState.STREAM_STATE_OPEN, first.getState());
    stream.putNumbers(0, 7);
    assertEquals(7, open().awaitNextIndex(0).getNextIndex());
  }

  @Test
  void acknowledgements_grow_with_what_is_durable() throws SQLException {
    Appending call = open();
    call.awaitNextIndex(0);
    for (int i = 0; i < 20; i++) {
      call.texts(i, "" + i);
      AppendSegmentsResponse answer = call.awaitNextIndex(i + 1);
      assertTrue(committed() >= answer.getNextIndex());
    }
    AppendSegmentsResponse last = call.halfClose().awaitEnd();
    assertEquals(20, last.getNextIndex());
    assertEquals(20, last.getAppended());
    assertEquals(0, last.getDuplicates());
  }

  /** As another connection sees it. */
  private long committed() throws SQLException {
    try (Connection connection = TestPostgres.connect(JOURNAL.database());
        PreparedStatement statement =
            connection.prepareStatement("SELECT next_index FROM streams WHERE stream_key = ?")) {
      statement.setString(1, stream.key());
      try (ResultSet row = statement.executeQuery()) {
        assertTrue(row.next());
        return row.getLong(1);
      }
    }
  }

  @Test
  void one_acknowledgement_may_cover_many_messages() {
    Appending call = open();
    for (int i = 0; i < 2_000; i++) {
      call.texts(i, "" + i);
    }
    AppendSegmentsResponse last = call.halfClose().awaitEnd();
    assertEquals(2_000, last.getNextIndex());
    assertTrue(call.answers().size() < 1_500, call.answers().size() + " answers");
  }

  @Test
  void duplicates_are_counted_since_the_call_began() {
    stream.put(0, "a", "b");
    Appending call = open().texts(0, "a");
    call.awaitAnswer("one duplicate", answer -> answer.getDuplicates() == 1);
    call.texts(1, "b", "c");
    AppendSegmentsResponse answer = call.awaitNextIndex(3);
    assertEquals(2, answer.getDuplicates());
    assertEquals(1, answer.getAppended());
  }

  @Test
  void the_server_ends_the_call_after_the_end() {
    AppendSegmentsResponse last = open().texts(0, "a").end("stop").awaitEnd();
    assertEquals(1, last.getNextIndex());
    assertEquals(StreamState.STREAM_STATE_COMPLETE, last.getState());
  }

  @Test
  void a_client_that_does_not_read_gets_one_answer_for_all_that_it_missed() {
    Appending call = Appending.sessionThatDoesNotRead(JOURNAL.channel()).open(stream.open());
    for (int i = 0; i < 3_000; i++) {
      call.texts(i, "" + i);
    }
    call.halfClose();
    Wait.until("all is stored", () -> storedNextIndex() == 3_000);
    call.take(10_000);
    assertEquals(3_000, call.awaitEnd().getNextIndex());
  }

  private long storedNextIndex() {
    return Way.PUT_SEGMENTS
        .append(
            JOURNAL.channel(),
            io.agentjournal.v1.AppendSegmentsRequest.newBuilder().setOpen(stream.open()).build())
        .getNextIndex();
  }

  @Test
  void a_requested_abort_is_told_also_while_the_call_is_idle() {
    BoundStream bound = new BoundStream(JOURNAL.database());
    Appending call = Appending.session(JOURNAL.channel()).open(bound.open()).texts(0, "a");
    assertFalse(call.awaitNextIndex(1).getAbortRequested());
    bound.change(connection -> new StreamHeads().requestAbortIfOpen(connection, bound.streamKey()));
    AppendSegmentsResponse told =
        call.awaitAnswer("abort requested", AppendSegmentsResponse::getAbortRequested);
    assertEquals(1, told.getNextIndex());
    assertFalse(call.isOver());
    call.texts(1, "b").awaitNextIndex(2);
  }

  /** Design promise 4: at 100 ms; here with room for a busy machine. */
  @Test
  void idle_and_busy_calls_end_when_their_attempt_is_replaced() {
    for (boolean busy : List.of(false, true)) {
      BoundStream bound = new BoundStream(JOURNAL.database());
      Appending call = Appending.session(JOURNAL.channel()).open(bound.open()).texts(0, "a");
      call.awaitNextIndex(1);
      bound.repoint("next attempt");
      long replaced = System.nanoTime();
      for (int i = 1; busy && !call.isOver() && i < 1_000; i++) {
        call.texts(i, "late");
      }
      call.awaitRefusal()
          .mustBe(
              Status.Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_STALE_ATTEMPT,
              "current_attempt_id",
              "next attempt",
              "next_index",
              "1");
      long millis = (call.endedAtNanos() - replaced) / 1_000_000;
      assertTrue(millis < 5_000, millis + " ms");
      Reading reading =
          Reading.of(JOURNAL.channel(), new TestStream(JOURNAL.channel(), bound.key()).read());
      reading.awaitEnd();
      assertEquals(List.of("a"), reading.texts());
    }
  }

  @Test
  void a_refused_call_tells_first_how_far_it_got_and_then_why() {
    Appending call = open().texts(0, "a").texts(1, "b").texts(7, "h");
    call.awaitRefusal()
        .mustBe(
            Status.Code.OUT_OF_RANGE,
            ErrorReason.ERROR_REASON_SEGMENT_GAP,
            "expected_index",
            "2",
            "next_index",
            "2");
  }
}

package io.agentjournal.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class SegmentReaderTest {
  private static final ReadSegmentsResponse HEARTBEAT =
      ReadSegmentsResponse.newBuilder()
          .setHeartbeat(ReadSegmentsResponse.Heartbeat.getDefaultInstance())
          .build();

  private static ReadSegmentsResponse complete(long nextIndex) {
    return MemoryJournal.end(ReadEndReason.READ_END_REASON_COMPLETE, nextIndex);
  }

  private static ReadSegmentsResponse caughtUp(long nextIndex) {
    return ReadSegmentsResponse.newBuilder()
        .setCaughtUp(ReadSegmentsResponse.CaughtUp.newBuilder().setNextIndex(nextIndex))
        .build();
  }

  private static List<String> texts(SegmentReader reader) {
    List<String> texts = new ArrayList<>();
    while (reader.hasNext()) {
      StoredSegment segment = reader.next();
      texts.add(segment.index() + " " + segment.text());
    }
    return texts;
  }

  @Test
  void segments_come_with_their_index_until_the_typed_end() {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build();
        SegmentReader reader = client.reader("s").open()) {
      journal.answerReadWith(
          MemoryJournal.run(0, "a", "b"), HEARTBEAT, MemoryJournal.run(2, "c"), complete(3));

      assertThrows(IllegalStateException.class, reader::end);
      assertEquals(List.of("0 a", "1 b", "2 c"), texts(reader));
      assertEquals(ReadEndReason.READ_END_REASON_COMPLETE, reader.end().getReason());
      assertEquals(3, reader.nextIndex());
      assertFalse(reader.hasNext());
    }
  }

  /** B040 */
  @Test
  void a_clean_end_of_the_call_without_the_typed_end_is_a_cut_and_resumed() {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build();
        SegmentReader reader = client.reader("s").startIndex(5).limit(10).open()) {
      journal.answerReadWith(MemoryJournal.run(5, "a", "b"));
      journal.answerReadWith();
      journal.answerReadWith(MemoryJournal.run(7, "c"), complete(8));

      assertEquals(List.of("5 a", "6 b", "7 c"), texts(reader));

      List<ReadSegmentsRequest> requests = journal.readRequests();
      assertEquals(3, requests.size());
      assertEquals(7, requests.get(1).getStartIndex());
      assertEquals(8, requests.get(1).getLimit());
      assertEquals(7, requests.get(2).getStartIndex());
    }
  }

  /** B011 */
  @Test
  void a_hole_is_an_error_and_what_came_before_it_is_delivered() {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build();
        SegmentReader reader = client.reader("s").open()) {
      journal.answerReadWith(MemoryJournal.run(0, "a"), MemoryJournal.run(2, "c"), complete(3));

      assertEquals("a", reader.next().text());
      JournalException failed = assertThrows(JournalException.Failed.class, reader::hasNext);

      assertEquals(Status.Code.DATA_LOSS, failed.code());
      assertEquals(1, reader.nextIndex());
    }
  }

  @Test
  void a_repeat_is_an_error() {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build();
        SegmentReader reader = client.reader("s").open()) {
      journal.answerReadWith(MemoryJournal.run(0, "a", "b"), MemoryJournal.run(1, "b"));

      assertEquals("a", reader.next().text());
      assertEquals("b", reader.next().text());
      assertThrows(JournalException.Failed.class, reader::hasNext);
    }
  }

  /** B011: success with the last segment missing. */
  @Test
  void an_end_beyond_the_last_segment_is_an_error() {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build();
        SegmentReader reader = client.reader("s").open()) {
      journal.answerReadWith(MemoryJournal.run(0, "a"), complete(2));

      assertEquals("a", reader.next().text());
      assertThrows(JournalException.Failed.class, reader::hasNext);
    }
  }

  @Test
  void a_read_of_the_last_so_many_resumes_by_index() {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build();
        SegmentReader reader = client.reader("s").last(2).follow().open()) {
      journal.answerReadWith();
      journal.answerReadWith(MemoryJournal.run(40, "a", "b"), caughtUp(42));
      journal.answerReadWith(MemoryJournal.run(42, "c"), complete(43));

      assertEquals(List.of("40 a", "41 b", "42 c"), texts(reader));

      List<ReadSegmentsRequest> requests = journal.readRequests();
      assertEquals(2, requests.get(0).getLast());
      assertEquals(2, requests.get(1).getLast());
      assertEquals(42, requests.get(2).getStartIndex());
    }
  }

  @Test
  void a_cut_right_at_the_limit_is_the_limit() {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build();
        SegmentReader reader = client.reader("s").limit(2).open()) {
      journal.answerReadWith(MemoryJournal.run(0, "a", "b"));

      assertEquals(List.of("0 a", "1 b"), texts(reader));
      assertEquals(ReadEndReason.READ_END_REASON_LIMIT_REACHED, reader.end().getReason());
      assertEquals(2, reader.end().getNextIndex());
    }
  }

  @Test
  void a_journal_out_of_reach_is_told_after_the_time_to_give_up() {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client =
            journal.newClient().retry(Duration.ofMillis(20), Duration.ofMillis(200)).build();
        SegmentReader reader = client.reader("s").open()) {
      journal.stop();

      assertThrows(JournalException.Unavailable.class, reader::hasNext);
    }
  }

  @Test
  @SuppressWarnings("try") // closed early on purpose
  void close_from_another_thread_wakes_a_reader_that_waits() throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client =
            journal.newClient().retry(Duration.ofSeconds(60), Duration.ofSeconds(90)).build()) {
      journal.stop();
      SegmentReader reader = client.reader("s").open();
      Thread closer = new Thread(reader::close);
      closer.start();

      assertThrows(IllegalStateException.class, reader::hasNext);
      closer.join();
    }
  }
}

package io.agentjournal.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.client.MemoryJournal.Ending;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.StreamEnd;
import io.grpc.Status;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(30)
final class SegmentWriterTest {

  @Test
  void segments_are_stored_in_order_and_finish_is_durable() throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build();
        SegmentWriter writer = client.writer("s").writerEpoch(1).open()) {
      assertEquals(0, writer.append("Hel"));
      assertEquals(1, writer.append("lo"));
      writer.awaitDurable(2);
      assertEquals(List.of("Hel", "lo"), journal.texts());

      writer.finish("stop");

      assertEquals("stop", journal.end().getFinishReason());
      assertEquals(2, journal.end().getExpectedNextIndex());
      assertEquals(2, writer.durableIndex());
      assertThrows(IllegalStateException.class, () -> writer.append("!"));
    }
  }

  @Test
  void close_without_an_end_waits_for_what_was_appended_and_leaves_the_stream_open()
      throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      try (SegmentWriter writer = client.writer("s").writerEpoch(1).open()) {
        writer.append("a");
      }
      assertEquals(List.of("a"), journal.texts());
      assertEquals(StreamEnd.getDefaultInstance(), journal.end());
    }
  }

  /** B022, B028 and the like: the server has it, the answer is lost. */
  @ParameterizedTest
  @EnumSource(Ending.class)
  void a_call_that_breaks_after_the_server_stored_is_resumed_at_next_index(Ending ending)
      throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      journal.behave(2, ending);
      journal.behave(1, ending);
      SegmentWriter writer =
          client.writer("s").writerEpoch(1).ackTimeout(Duration.ofMillis(300)).open();
      for (int i = 0; i < 5; i++) {
        writer.append("token " + i);
        writer.awaitDurable(i + 1);
      }
      writer.finish("stop");

      assertEquals(IntStream.range(0, 5).mapToObj(i -> "token " + i).toList(), journal.texts());
      assertEquals(3, journal.calls());
      assertEquals(0, writer.counters().resentSegments());
      assertEquals(0, writer.counters().resentBelowNextIndex());
      assertEquals(3, writer.counters().calls());
    }
  }

  @Test
  void what_the_server_did_not_get_is_sent_again() throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      journal.behave(1, Ending.UNAVAILABLE);
      SegmentWriter writer = client.writer("s").writerEpoch(1).open();
      for (int i = 0; i < 5_000; i++) {
        writer.append("token " + i);
      }
      writer.finish("stop");

      assertEquals(IntStream.range(0, 5_000).mapToObj(i -> "token " + i).toList(), journal.texts());
      assertEquals(0, writer.counters().resentBelowNextIndex());
    }
  }

  @Test
  void an_end_whose_answer_was_lost_is_repeated() throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      journal.behave(1, Ending.UNAVAILABLE);
      SegmentWriter writer = client.writer("s").writerEpoch(1).open();

      writer.finish("stop");

      assertEquals("stop", journal.end().getFinishReason());
      assertEquals(2, writer.counters().calls());
    }
  }

  @Test
  void an_unfenced_writer_compares_what_is_stored_before_it_believes_that_it_is_its_own()
      throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      journal.behave(1, Ending.UNAVAILABLE);
      SegmentWriter writer = client.writer("s").open();
      writer.append("mine");
      writer.awaitDurable(1);

      assertEquals(1, journal.readRequests().size());
      assertEquals(0, writer.counters().resentBelowNextIndex());
      writer.finish("stop");
      assertEquals(List.of("mine"), journal.texts());
    }
  }

  /** B003 */
  @Test
  void an_unfenced_writer_that_finds_another_ones_segment_is_refused() throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      journal.behave(1, Ending.UNAVAILABLE);
      SegmentWriter writer = client.writer("s").open();
      journal.answerReadWith(MemoryJournal.run(0, "theirs"));
      writer.append("mine");

      JournalException refused =
          assertThrows(JournalException.Refused.class, () -> writer.awaitDurable(1));

      assertEquals(ErrorReason.ERROR_REASON_SEGMENT_CONFLICT, refused.reason());
      assertEquals("0", refused.fact("index"));
      assertEquals(0, writer.durableIndex());
    }
  }

  /** B001, B082 */
  @Test
  void a_writer_that_begins_at_0_has_stored_segments_compared_by_the_server()
      throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      journal.store("a", "b", "c");
      SegmentWriter writer = client.writer("s").writerEpoch(1).open();
      assertEquals(0, writer.startIndex());
      for (String text : List.of("a", "b", "c", "d")) {
        writer.append(text);
      }
      writer.finish("stop");

      assertEquals(List.of("a", "b", "c", "d"), journal.texts());
      assertEquals(3, writer.counters().duplicates());
    }
  }

  @Test
  void segments_below_what_the_first_call_found_are_durable_only_when_they_were_judged()
      throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      journal.store("a", "b");
      SegmentWriter writer = client.writer("s").writerEpoch(1).open();
      writer.append("x");

      JournalException refused = assertThrows(JournalException.class, () -> writer.awaitDurable(1));

      assertEquals(Status.Code.ALREADY_EXISTS, refused.code());
      assertEquals(0, writer.durableIndex());
    }
  }

  @Test
  void an_acknowledgement_counts_what_was_judged_and_not_what_is_stored()
      throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      journal.store("a", "b");
      SegmentWriter writer = client.writer("s").writerEpoch(1).open();
      journal.answering(answer -> answer.setDuplicates(0).setAbortRequested(true));
      writer.append("a");
      while (!writer.abortRequested()) {
        Thread.onSpinWait();
      }
      assertEquals(0, writer.durableIndex());

      journal.answering(answer -> answer);
      writer.append("b");
      writer.awaitDurable(2);
      writer.finish("stop");
    }
  }

  @Test
  void a_successor_without_state_goes_on_where_the_stream_stands() throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      journal.store("a", "b");
      SegmentWriter writer = client.writer("s").writerEpoch(2).resume().open();
      assertEquals(2, writer.startIndex());
      assertEquals(2, writer.append("c"));
      writer.finish("stop");

      assertEquals(List.of("a", "b", "c"), journal.texts());
      assertEquals(1, writer.counters().segments());
    }
  }

  @Test
  void a_server_that_lost_what_it_acknowledged_is_told_on() throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      journal.behave(2, Ending.UNAVAILABLE);
      journal.answering(answer -> journal.calls() == 2 ? answer.setNextIndex(0) : answer);
      SegmentWriter writer = client.writer("s").writerEpoch(1).open();
      writer.append("a");
      writer.awaitDurable(1);
      writer.append("b");

      JournalException failed =
          assertThrows(JournalException.Failed.class, () -> writer.awaitDurable(2));

      assertEquals(Status.Code.DATA_LOSS, failed.code());
    }
  }

  @Test
  void append_blocks_while_the_window_is_full_and_only_then() throws Exception {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      journal.behave(1, Ending.SILENCE);
      SegmentWriter writer =
          client
              .writer("s")
              .writerEpoch(1)
              .windowBytes(1_000)
              .ackTimeout(Duration.ofSeconds(2))
              .open();
      for (int i = 0; i < 10; i++) {
        writer.append("0123456789012345678901234567890");
      }
      CountDownLatch appended = new CountDownLatch(1);
      Thread eleventh =
          new Thread(
              () -> {
                try {
                  writer.append("0123456789012345678901234567890");
                  appended.countDown();
                } catch (InterruptedException interrupted) {
                  Thread.currentThread().interrupt();
                }
              });
      eleventh.start();
      while (eleventh.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      assertEquals(1, appended.getCount());

      // The silent call is abandoned and the next one acknowledges.
      assertTrue(appended.await(20, TimeUnit.SECONDS));
      writer.finish("stop");
      assertEquals(11, journal.texts().size());
    }
  }

  @Test
  void many_segments_share_a_message_and_a_lone_one_goes_at_once() throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      SegmentWriter writer = client.writer("s").writerEpoch(1).open();
      writer.append("lone");
      writer.awaitDurable(1);
      assertEquals(1, journal.messages());
      for (int i = 1; i < 50_000; i++) {
        writer.append("t");
      }
      writer.finish("stop");

      assertEquals(50_000, journal.texts().size());
      assertTrue(journal.messages() < 25_000, () -> journal.messages() + " messages");
    }
  }

  @Test
  void appending_threads_share_a_writer_and_each_segment_gets_its_own_index() throws Exception {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      SegmentWriter writer = client.writer("s").writerEpoch(1).windowBytes(20_000).open();
      List<CompletableFuture<Void>> threads =
          IntStream.range(0, 4)
              .mapToObj(
                  thread ->
                      CompletableFuture.runAsync(
                          () -> {
                            for (int i = 0; i < 2_000; i++) {
                              try {
                                writer.append(thread + "-" + i);
                              } catch (InterruptedException interrupted) {
                                throw new IllegalStateException(interrupted);
                              }
                            }
                          },
                          task -> new Thread(task).start()))
              .toList();
      threads.forEach(CompletableFuture::join);
      writer.finish("stop");

      assertEquals(8_000, journal.texts().stream().distinct().count());
      assertEquals(8_000, journal.texts().size());
    }
  }

  @Test
  void the_listener_is_told_of_durable_segments_and_of_an_abort() throws Exception {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      BlockingQueue<String> told = new ArrayBlockingQueue<>(10);
      SegmentWriter writer =
          client
              .writer("s")
              .writerEpoch(1)
              .listener(
                  new SegmentWriterListener() {
                    @Override
                    public void durable(long nextIndex) {
                      told.add("durable " + nextIndex);
                    }

                    @Override
                    public void abortRequested() {
                      told.add("abort");
                    }
                  })
              .open();
      journal.answering(answer -> answer.setAbortRequested(true));
      writer.append("a");
      writer.awaitDurable(1);

      assertEquals("abort", told.poll(5, TimeUnit.SECONDS));
      assertEquals("durable 1", told.poll(5, TimeUnit.SECONDS));
      assertTrue(writer.abortRequested());
      writer.append("b");
      writer.finish("stop");
    }
  }

  /** B065 */
  @Test
  void half_a_surrogate_pair_is_refused_where_it_is_appended() throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      SegmentWriter writer = client.writer("s").writerEpoch(1).open();
      writer.append("\uD83D\uDE00 whole");

      InvalidSegment refused =
          assertThrows(InvalidSegment.class, () -> writer.append("half \uD83D"));

      assertEquals(1, refused.index());
      assertEquals(1, writer.append("after"));
      writer.finish("stop");
      assertEquals(List.of("\uD83D\uDE00 whole", "after"), journal.texts());
    }
  }

  /** B070 */
  @Test
  void a_segment_that_is_too_large_is_refused_where_it_is_appended() throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      SegmentWriter writer = client.writer("s").writerEpoch(1).windowBytes(100).open();
      writer.append("x".repeat(1 << 20));

      assertThrows(InvalidSegment.class, () -> writer.append("x".repeat((1 << 20) + 1)));

      writer.finish("stop");
      assertEquals(1, journal.texts().size());
    }
  }

  /** B084 */
  @Test
  void a_generator_that_throws_comes_through_with_the_stored_prefix_known()
      throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build();
        SegmentWriter writer = client.writer("s").writerEpoch(1).open()) {
      IllegalArgumentException own = new IllegalArgumentException("model broke");
      Iterator<String> model =
          IntStream.range(0, 10)
              .mapToObj(
                  i -> {
                    if (i == 3) {
                      throw own;
                    }
                    return "t" + i;
                  })
              .iterator();

      assertEquals(
          own, assertThrows(IllegalArgumentException.class, () -> writer.appendAll(model)));

      assertEquals(3, writer.durableIndex());
      assertEquals(List.of("t0", "t1", "t2"), journal.texts());
    }
  }

  /**
   * B078, shortened: gRPC's server sends every connection away after 1 s and cuts it 50 ms later.
   */
  @Test
  void goaway_by_the_age_of_the_connection_loses_nothing() throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal(Duration.ofSeconds(1), Duration.ofMillis(50));
        JournalClient client = journal.newClient().build()) {
      SegmentWriter writer = client.writer("s").writerEpoch(1).open();
      int appended = 0;
      while (writer.counters().calls() < 3) {
        writer.append("token " + appended);
        appended++;
        writer.awaitDurable(appended);
      }
      writer.finish("stop");

      assertEquals(
          IntStream.range(0, appended).mapToObj(i -> "token " + i).toList(), journal.texts());
      assertEquals(0, writer.counters().resentBelowNextIndex());
    }
  }

  @Test
  void a_journal_out_of_reach_is_told_after_the_time_to_give_up() throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client =
            journal.newClient().retry(Duration.ofMillis(50), Duration.ofMillis(500)).build()) {
      CompletableFuture<JournalException> told = new CompletableFuture<>();
      SegmentWriter writer =
          client
              .writer("s")
              .writerEpoch(1)
              .listener(
                  new SegmentWriterListener() {
                    @Override
                    public void failed(JournalException failure) {
                      told.complete(failure);
                    }
                  })
              .open();
      journal.stop();
      writer.append("a");

      assertThrows(JournalException.Unavailable.class, () -> writer.awaitDurable(1));
      assertInstanceOf(JournalException.Unavailable.class, told.join());
      assertThrows(JournalException.Unavailable.class, () -> writer.append("b"));
    }
  }

  @Test
  @SuppressWarnings("try") // closed early on purpose
  void closing_the_client_fails_its_writers() throws InterruptedException {
    try (MemoryJournal journal = new MemoryJournal();
        JournalClient client = journal.newClient().build()) {
      SegmentWriter writer = client.writer("s").writerEpoch(1).open();
      journal.stop();
      client.close();

      JournalException failed =
          assertThrows(
              JournalException.class,
              () -> {
                while (true) {
                  writer.append("a");
                }
              });
      assertEquals(Status.Code.CANCELLED, failed.code());
      assertThrows(IllegalStateException.class, () -> client.writer("t").open());
    }
  }
}

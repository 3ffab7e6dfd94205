package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.ErrorReason;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many writers, on two servers of one database. Judged by what is read back. */
final class AppendConcurrencyTest {
  private static final int WRITERS = 20;
  private static final List<Way> WAYS = List.of(Way.values());

  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();
  private static JournalServer another;
  private static ManagedChannel toAnother;
  private static ExecutorService threads;

  private final TestStream stream = new TestStream(JOURNAL.channel());

  @BeforeAll
  static void start() {
    another = JOURNAL.anotherServer("--flush-per-bucket");
    toAnother = JournalExtension.channelTo(another);
    threads = Executors.newFixedThreadPool(WRITERS);
  }

  @AfterAll
  static void end() {
    threads.shutdownNow();
    toAnother.shutdownNow();
    another.close();
  }

  private static Channel server(int writer) {
    return writer % 2 == 0 ? JOURNAL.channel() : toAnother;
  }

  /** Runs it once for each writer, all at the same time. */
  private static <T> List<T> together(int writers, WriterTask<T> task) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(writers);
    List<Callable<T>> calls = new ArrayList<>();
    for (int writer = 0; writer < writers; writer++) {
      int number = writer;
      calls.add(
          () -> {
            barrier.await(30, TimeUnit.SECONDS);
            return task.run(number);
          });
    }
    List<T> results = new ArrayList<>();
    for (Future<T> each : threads.invokeAll(calls)) {
      results.add(each.get());
    }
    return results;
  }

  private interface WriterTask<T> {
    T run(int writer) throws Exception;
  }

  private AppendSegmentsRequest message(long index, String text) {
    return AppendSegmentsRequest.newBuilder()
        .setOpen(stream.open())
        .setFirstIndex(index)
        .addSegments(TestStream.segment(text))
        .build();
  }

  /**
   * Appends at wherever the stream ends.
   *
   * @return its index
   */
  private long appendSomewhere(Way way, Channel channel, String text) {
    for (long index = 0; ; ) {
      try {
        return way.append(channel, message(index, text)).getNextIndex() - 1;
      } catch (StatusRuntimeException e) {
        index = Long.parseLong(Refused.of(e).fact("next_index"));
      }
    }
  }

  private List<String> texts() {
    Reading reading = Reading.of(JOURNAL.channel(), stream.read());
    reading.awaitEnd();
    return reading.texts();
  }

  /** B017, B003 */
  @Test
  void every_append_of_twenty_writers_on_two_servers_is_readable_once_at_its_index()
      throws Exception {
    int each = 10;
    List<List<Long>> indexes =
        together(
            WRITERS,
            writer -> {
              List<Long> mine = new ArrayList<>();
              for (int i = 0; i < each; i++) {
                Way way = WAYS.get((writer / 2 + i) % WAYS.size());
                mine.add(appendSomewhere(way, server(writer), writer + "/" + i));
              }
              return mine;
            });
    List<String> texts = texts();
    assertEquals(WRITERS * each, texts.size());
    for (int writer = 0; writer < WRITERS; writer++) {
      for (int i = 0; i < each; i++) {
        assertEquals(writer + "/" + i, texts.get(indexes.get(writer).get(i).intValue()));
      }
    }
  }

  /** B032 */
  @Test
  void one_of_two_payloads_for_one_index_wins_and_the_other_is_told() throws Exception {
    for (int index = 0; index < 25; index++) {
      int at = index;
      AtomicInteger won = new AtomicInteger();
      Set<String> winners = new TreeSet<>();
      together(
          4,
          writer -> {
            try {
              Way.PUT_SEGMENTS.append(server(writer), message(at, "writer " + writer));
              won.incrementAndGet();
              synchronized (winners) {
                winners.add("writer " + writer);
              }
            } catch (StatusRuntimeException e) {
              Refused.of(e)
                  .mustBe(
                      Status.Code.ALREADY_EXISTS,
                      ErrorReason.ERROR_REASON_SEGMENT_CONFLICT,
                      "index",
                      Integer.toString(at));
            }
            return writer;
          });
      assertEquals(1, won.get());
      List<String> texts = texts();
      assertEquals(at + 1, texts.size());
      assertEquals(winners, Set.of(texts.get(at)));
    }
  }

  @Test
  void equal_appends_at_the_same_time_all_succeed_and_are_stored_once() throws Exception {
    for (int index = 0; index < 25; index++) {
      int at = index;
      List<Long> appended =
          together(
              4,
              writer -> Way.PUT_SEGMENTS.append(server(writer), message(at, "same")).getAppended());
      assertEquals(1, appended.stream().mapToLong(Long::longValue).sum());
    }
    assertEquals(25, texts().size());
  }

  @Test
  void a_stream_that_two_servers_open_at_the_same_time_is_one_stream() throws Exception {
    for (int round = 0; round < 20; round++) {
      TestStream fresh = new TestStream(JOURNAL.channel());
      AppendSegmentsRequest open = AppendSegmentsRequest.newBuilder().setOpen(fresh.open()).build();
      List<Long> nextIndexes =
          together(4, writer -> Way.PUT_SEGMENTS.append(server(writer), open).getNextIndex());
      assertEquals(List.of(0L, 0L, 0L, 0L), nextIndexes);
    }
  }
}

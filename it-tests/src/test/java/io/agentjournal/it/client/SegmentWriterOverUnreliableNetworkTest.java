package io.agentjournal.it.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.JournalException;
import io.agentjournal.client.SegmentReader;
import io.agentjournal.client.SegmentWriter;
import io.agentjournal.client.SegmentWriterListener;
import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ReadEndReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
final class SegmentWriterOverUnreliableNetworkTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static final int SEGMENTS = 5_000;
  private static final long SEED = 28;

  private final String key = UUID.randomUUID().toString();

  private static UnreliableNetwork network() {
    return new UnreliableNetwork(JOURNAL.server().port());
  }

  private static String token(long index) {
    return "token " + index + " \u00e4\uD83D\uDE00";
  }

  private void assertStored(long segments) {
    try (JournalClient client =
            JournalClient.to("127.0.0.1:" + JOURNAL.server().port()).plaintext().build();
        SegmentReader reader = client.reader(key).open()) {
      List<String> texts = new ArrayList<>();
      reader.forEachRemaining(segment -> texts.add(segment.text()));
      for (int i = 0; i < Math.min(segments, texts.size()); i++) {
        assertEquals(token(i), texts.get(i));
      }
      assertEquals(segments, texts.size());
      assertEquals(ReadEndReason.READ_END_REASON_COMPLETE, reader.end().getReason());
    }
  }

  @ParameterizedTest
  @EnumSource(NetworkFault.class)
  void nothing_is_lost_or_doubled_whatever_the_network_does(NetworkFault fault) throws Exception {
    try (UnreliableNetwork network = network();
        JournalClient client = JournalClient.to(network.target()).plaintext().build()) {
      SegmentWriter writer =
          client.writer(key).writerEpoch(1).ackTimeout(Duration.ofSeconds(2)).open();
      Random random = new Random(SEED);
      int faults = 0;
      for (int i = 0; i < SEGMENTS; i++) {
        writer.append(token(i));
        if (faults < 4 && random.nextInt(SEGMENTS / 8) == 0) {
          fault.strike(network);
          faults++;
          writer.awaitDurable(i);
        }
      }
      writer.finish("stop");

      assertTrue(network.accepted() > 1);
      assertEquals(0, writer.counters().resentBelowNextIndex());
      assertStored(SEGMENTS);
    }
  }

  @Test
  void an_unfenced_writer_finds_its_own_segments_after_a_cut() throws Exception {
    try (UnreliableNetwork network = network();
        JournalClient client = JournalClient.to(network.target()).plaintext().build()) {
      SegmentWriter writer = client.writer(key).ackTimeout(Duration.ofSeconds(1)).open();
      for (int i = 0; i < 100; i++) {
        writer.append(token(i));
        if (i % 40 == 10) {
          network.swallowAnswers();
        }
      }
      writer.finish("stop");

      assertEquals(0, writer.counters().resentBelowNextIndex());
      assertStored(100);
    }
  }

  @Test
  void a_server_that_cannot_be_reached_for_a_while_is_waited_for() throws Exception {
    try (UnreliableNetwork network = network();
        JournalClient client = JournalClient.to(network.target()).plaintext().build()) {
      SegmentWriter writer = client.writer(key).writerEpoch(1).open();
      writer.append(token(0));
      network.refuseConnections(true);
      network.cut();
      writer.append(token(1));
      Thread restore =
          new Thread(
              () -> {
                while (writer.counters().calls() < 5) {
                  Thread.onSpinWait();
                }
                network.refuseConnections(false);
              });
      restore.start();
      writer.finish("stop");
      restore.join();

      assertStored(2);
    }
  }

  @Test
  void a_writer_that_is_idle_comes_back_by_itself() throws Exception {
    try (UnreliableNetwork network = network();
        JournalClient client = JournalClient.to(network.target()).plaintext().build()) {
      SegmentWriter writer = client.writer(key).writerEpoch(1).open();
      network.cut();
      while (writer.counters().calls() < 2) {
        Thread.onSpinWait();
      }
      writer.append(token(0));
      writer.finish("stop");
      assertStored(1);
    }
  }

  /** Promise 4: what the writer's thread and its listener see, without a write of its own. */
  @Test
  void an_idle_writer_that_is_fenced_is_told() throws Exception {
    try (JournalClient client =
        JournalClient.to("127.0.0.1:" + JOURNAL.server().port()).plaintext().build()) {
      CompletableFuture<Long> fencedAt = new CompletableFuture<>();
      SegmentWriter first =
          client
              .writer(key)
              .writerEpoch(1)
              .listener(
                  new SegmentWriterListener() {
                    @Override
                    public void failed(JournalException failure) {
                      fencedAt.complete(System.nanoTime());
                    }
                  })
              .open();
      first.append(token(0));
      first.awaitDurable(1);

      SegmentWriter second = client.writer(key).writerEpoch(2).resume().open();
      long takenOver = System.nanoTime();
      long toldAfter = fencedAt.get(30, TimeUnit.SECONDS) - takenOver;
      System.out.println(
          "fenced writer told after " + TimeUnit.NANOSECONDS.toMillis(toldAfter) + " ms");

      JournalException refused =
          assertThrows(JournalException.Refused.class, () -> first.append(token(1)));
      assertEquals(ErrorReason.ERROR_REASON_STALE_EPOCH, refused.reason());
      assertTrue(refused.isFenced());
      assertEquals("2", refused.fact("current_epoch"));
      assertThrows(JournalException.Refused.class, () -> first.finish("stop"));
      assertEquals(1, second.startIndex());
      second.append(token(1));
      second.finish("stop");
      assertStored(2);
    }
  }

  /** B077: gRPC's server cuts a connection at the third ping that comes too soon. */
  @Test
  @Timeout(90)
  @EnabledIfSystemProperty(named = "journal.thorough", matches = "true")
  void a_writer_that_says_nothing_for_long_keeps_its_call() throws Exception {
    try (JournalClient client =
        JournalClient.to("127.0.0.1:" + JOURNAL.server().port())
            .plaintext()
            .keepAlive(Duration.ofSeconds(10), Duration.ofSeconds(5))
            .build()) {
      CountDownLatch failed = new CountDownLatch(1);
      SegmentWriter writer =
          client
              .writer(key)
              .writerEpoch(1)
              .listener(
                  new SegmentWriterListener() {
                    @Override
                    public void failed(JournalException failure) {
                      failed.countDown();
                    }
                  })
              .open();
      assertFalse(failed.await(45, TimeUnit.SECONDS));
      writer.append(token(0));
      writer.finish("stop");

      assertEquals(1, writer.counters().calls());
    }
  }

  @Test
  void a_server_that_drains_is_left_for_its_successor() throws Exception {
    JournalServer draining = JOURNAL.anotherServer();
    try (UnreliableNetwork network = new UnreliableNetwork(draining.port());
        JournalClient client = JournalClient.to(network.target()).plaintext().build()) {
      SegmentWriter writer = client.writer(key).writerEpoch(1).open();
      writer.append(token(0));
      network.leadTo(JOURNAL.server().port());
      draining.close();
      for (int i = 1; i < 100; i++) {
        writer.append(token(i));
      }
      writer.finish("stop");

      assertEquals(0, writer.counters().resentBelowNextIndex());
      assertStored(100);
    }
  }
}

package io.agentjournal.it.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.JournalException;
import io.agentjournal.client.SegmentReader;
import io.agentjournal.client.SegmentWriter;
import io.agentjournal.client.StoredSegment;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.SegmentServiceGrpc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
final class SegmentReaderOverUnreliableNetworkTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final String key = UUID.randomUUID().toString();
  private final UnreliableNetwork network = new UnreliableNetwork(JOURNAL.server().port());
  private final JournalClient overNetwork = JournalClient.to(network.target()).plaintext().build();
  private final JournalClient client =
      JournalClient.to("127.0.0.1:" + JOURNAL.server().port()).plaintext().build();

  @AfterEach
  void close() {
    overNetwork.close();
    client.close();
    network.close();
  }

  private SegmentWriter writer() throws InterruptedException {
    return client.writer(key).writerEpoch(1).open();
  }

  private void write(int segments) throws InterruptedException {
    SegmentWriter writer = writer();
    writer.appendAll(IntStream.range(0, segments).mapToObj(i -> "token " + i).iterator());
    writer.finish("stop");
  }

  private static List<Long> indexes(SegmentReader reader) {
    List<Long> indexes = new ArrayList<>();
    while (reader.hasNext()) {
      StoredSegment segment = reader.next();
      assertEquals("token " + segment.index(), segment.text());
      indexes.add(segment.index());
    }
    return indexes;
  }

  private static List<Long> range(long start, long end) {
    return IntStream.range((int) start, (int) end).mapToObj(i -> (long) i).toList();
  }

  /** B040: whatever ends the call but the typed end is a cut. */
  @ParameterizedTest
  @EnumSource(NetworkFault.class)
  void a_follower_sees_each_segment_once_whatever_the_network_does(NetworkFault fault)
      throws InterruptedException {
    try (SegmentReader reader =
        overNetwork
            .reader(key)
            .waitForStream(Duration.ofSeconds(30))
            .follow()
            .heartbeat(Duration.ofSeconds(1))
            .open()) {
      SegmentWriter writer = writer();
      for (int i = 0; i < 60; i++) {
        writer.append("token " + i);
        writer.awaitDurable(i + 1);
        assertEquals(i, reader.next().index());
        if (i % 25 == 10) {
          fault.strike(network);
        }
      }
      writer.finish("stop");

      assertEquals(List.of(), indexes(reader));
      assertEquals(ReadEndReason.READ_END_REASON_COMPLETE, reader.end().getReason());
      assertTrue(network.accepted() >= 3);
    }
  }

  @ParameterizedTest
  @EnumSource(NetworkFault.class)
  void a_long_read_is_resumed_where_it_was_cut(NetworkFault fault) throws InterruptedException {
    write(20_000);
    try (SegmentReader reader =
        overNetwork.reader(key).follow().heartbeat(Duration.ofSeconds(1)).open()) {
      assertEquals(0, reader.next().index());
      fault.strike(network);

      assertEquals(range(1, 20_000), indexes(reader));
      assertEquals("stop", reader.end().getFinishReason());
    }
  }

  /** B036, B038 */
  @Test
  void a_reader_begins_where_it_is_told_to() throws InterruptedException {
    write(50);
    try (SegmentReader reader = client.reader(key).startIndex(42).open()) {
      assertEquals(range(42, 50), indexes(reader));
    }
    try (SegmentReader reader = client.reader(key).last(3).open()) {
      assertEquals(range(47, 50), indexes(reader));
    }
    try (SegmentReader reader = client.reader(key).startIndex(10).limit(5).open()) {
      assertEquals(range(10, 15), indexes(reader));
      assertEquals(ReadEndReason.READ_END_REASON_LIMIT_REACHED, reader.end().getReason());
      assertEquals(15, reader.end().getNextIndex());
    }
    try (SegmentReader reader = client.reader(key).open()) {
      assertEquals(range(0, 50), indexes(reader));
    }
  }

  @Test
  void an_open_stream_ends_a_read_that_does_not_follow() throws InterruptedException {
    SegmentWriter writer = writer();
    writer.append("token 0");
    writer.awaitDurable(1);
    try (SegmentReader reader = client.reader(key).open()) {
      assertEquals(range(0, 1), indexes(reader));
      assertEquals(ReadEndReason.READ_END_REASON_STILL_OPEN, reader.end().getReason());
    }
    writer.close();
  }

  /** B044 */
  @Test
  void a_stream_that_failed_says_so_after_its_segments() throws InterruptedException {
    SegmentWriter writer = writer();
    writer.append("token 0");
    writer.fail("provider_overloaded", "503");
    try (SegmentReader reader = client.reader(key).follow().open()) {
      assertEquals(range(0, 1), indexes(reader));
      assertEquals(ReadEndReason.READ_END_REASON_FAILED, reader.end().getReason());
      assertEquals("provider_overloaded", reader.end().getFailure().getCode());
    }
  }

  @Test
  void a_deleted_stream_ends_its_follower() throws InterruptedException {
    SegmentWriter writer = writer();
    writer.append("token 0");
    writer.awaitDurable(1);
    try (SegmentReader reader = client.reader(key).follow().open()) {
      assertEquals(0, reader.next().index());
      var unused =
          SegmentServiceGrpc.newBlockingStub(client.channel())
              .deleteStream(DeleteStreamRequest.newBuilder().setStreamKey(key).build());

      assertEquals(List.of(), indexes(reader));
      assertEquals(ReadEndReason.READ_END_REASON_DELETED, reader.end().getReason());
    }
    JournalException refused =
        assertThrows(JournalException.Refused.class, () -> writer.finish("stop"));
    assertEquals(ErrorReason.ERROR_REASON_STREAM_DELETED, refused.reason());
  }

  @Test
  void a_stream_that_is_not_there_is_refused_unless_it_is_waited_for() {
    try (SegmentReader reader = client.reader(key).open()) {
      JournalException refused = assertThrows(JournalException.Refused.class, reader::hasNext);
      assertEquals(ErrorReason.ERROR_REASON_STREAM_NOT_FOUND, refused.reason());
    }
    try (SegmentReader reader = client.reader(key).waitForStream(Duration.ofMillis(300)).open()) {
      assertThrows(JournalException.class, reader::hasNext);
    }
  }
}

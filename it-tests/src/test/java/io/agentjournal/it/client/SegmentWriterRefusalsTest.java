package io.agentjournal.it.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.JournalException;
import io.agentjournal.client.SegmentReader;
import io.agentjournal.client.SegmentWriter;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.v1.ErrorReason;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the real server says no to, and what it does not, as a writer sees it. */
@Timeout(60)
final class SegmentWriterRefusalsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final String key = UUID.randomUUID().toString();
  private JournalClient client = client();

  private static JournalClient client() {
    return JournalClient.to("127.0.0.1:" + JOURNAL.server().port()).plaintext().build();
  }

  @BeforeEach
  void store() throws InterruptedException {
    try (SegmentWriter writer = client.writer(key).writerEpoch(1).open()) {
      writer.appendAll(List.of("a", "b", "c").iterator());
    }
  }

  @AfterEach
  void closeClient() {
    client.close();
  }

  private List<String> stored() {
    try (SegmentReader reader = client.reader(key).open()) {
      List<String> texts = new ArrayList<>();
      reader.forEachRemaining(segment -> texts.add(segment.text()));
      return texts;
    }
  }

  /** B001, B029, B082 */
  @Test
  void what_is_stored_may_be_appended_again_as_a_whole_and_ended_again()
      throws InterruptedException {
    for (int i = 0; i < 2; i++) {
      SegmentWriter writer = client.writer(key).writerEpoch(1).open();
      writer.appendAll(List.of("a", "b", "c", "d").iterator());
      writer.awaitDurable(4);
      writer.awaitDurable(4);
      writer.finish("stop");

      assertEquals(i == 0 ? 3 : 4, writer.counters().duplicates());
      assertEquals(4, writer.durableIndex());
    }
    assertEquals(List.of("a", "b", "c", "d"), stored());
  }

  /** B031 */
  @Test
  void another_payload_is_a_conflict_at_its_index_and_the_first_one_stays()
      throws InterruptedException {
    SegmentWriter writer = client.writer(key).writerEpoch(1).open();
    writer.appendAll(List.of("a", "x", "c").iterator());

    JournalException refused =
        assertThrows(JournalException.Refused.class, () -> writer.awaitDurable(3));

    assertEquals(ErrorReason.ERROR_REASON_SEGMENT_CONFLICT, refused.reason());
    assertEquals("1", refused.fact("index"));
    assertEquals(OptionalLong.of(3), refused.nextIndex());
    assertEquals(List.of("a", "b", "c"), stored());
    writer.close();
  }

  /** B027 */
  @Test
  void a_gap_is_refused_as_a_gap() throws InterruptedException {
    SegmentWriter writer = client.writer(key).writerEpoch(1).startIndex(20).open();
    writer.append("t");

    JournalException refused =
        assertThrows(JournalException.Refused.class, () -> writer.finish("stop"));

    assertEquals(ErrorReason.ERROR_REASON_SEGMENT_GAP, refused.reason());
    assertEquals("3", refused.fact("expected_index"));
    assertEquals(List.of("a", "b", "c"), stored());
  }

  @Test
  void close_throws_a_refusal_that_no_call_has_told() throws InterruptedException {
    SegmentWriter writer = client.writer(key).writerEpoch(1).startIndex(20).open();
    writer.append("t");

    assertInstanceOf(
        JournalException.Refused.class, assertThrows(JournalException.class, writer::close));
  }

  @Test
  void a_lower_epoch_is_refused_when_it_opens() {
    JournalException refused =
        assertThrows(
            JournalException.Refused.class, () -> client.writer(key).writerEpoch(0).open());

    assertEquals(ErrorReason.ERROR_REASON_STALE_EPOCH, refused.reason());
    assertEquals("1", refused.fact("current_epoch"));
  }

  @Test
  void an_ended_stream_takes_no_more() throws InterruptedException {
    client.writer(key).writerEpoch(1).resume().open().finish("stop");
    SegmentWriter late = client.writer(key).writerEpoch(1).resume().open();
    assertEquals(3, late.startIndex());
    late.append("d");

    JournalException refused =
        assertThrows(JournalException.Refused.class, () -> late.awaitDurable(4));

    assertEquals(ErrorReason.ERROR_REASON_STREAM_ENDED, refused.reason());
    assertEquals(List.of("a", "b", "c"), stored());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\u0000b", "line\nbreak"})
  void a_bad_key_is_refused_and_not_repeated(String bad) {
    JournalException refused =
        assertThrows(JournalException.Refused.class, () -> client.writer(bad).open());

    assertEquals(ErrorReason.ERROR_REASON_INVALID_FIELD, refused.reason());
  }

  /** B064, and payloads that are no text at all. */
  @Test
  void bytes_come_back_as_they_were_sent() throws InterruptedException {
    byte[][] halves = {{(byte) 0xF0, (byte) 0x9F}, {(byte) 0x98, (byte) 0x80}, {0, -1}, {}};
    SegmentWriter writer = client.writer(key).writerEpoch(1).resume().open();
    for (byte[] half : halves) {
      writer.append(half);
    }
    writer.append("text with NUL \u0000");
    writer.finish("stop");

    try (SegmentReader reader = client.reader(key).startIndex(3).open()) {
      for (byte[] half : halves) {
        assertEquals(List.of(half.length), List.of(reader.next().bytes().size()));
      }
      assertEquals("text with NUL \u0000", reader.next().text());
    }
  }

  /** B075, B076: a window, a slow server, and a producer that does not look. */
  @Test
  void a_producer_that_is_faster_than_the_journal_is_held_back() throws InterruptedException {
    int segments = 200_000;
    SegmentWriter writer = client.writer(key).writerEpoch(1).resume().windowBytes(256 << 10).open();
    long mostHeld = 0;
    for (int i = 0; i < segments; i++) {
      long index = writer.append("t");
      mostHeld = Math.max(mostHeld, index - writer.durableIndex());
    }
    writer.finish("stop");

    assertEquals(segments + 3, writer.durableIndex());
    long held = mostHeld;
    assertTrue(held <= (256 << 10) / 64, () -> held + " segments in a window of 256 KiB");
  }
}

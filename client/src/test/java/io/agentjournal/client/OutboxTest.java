package io.agentjournal.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.v1.StreamEnd;
import org.junit.jupiter.api.Test;

final class OutboxTest {
  private static final int MANY = 1_000;

  private final Outbox<OutgoingSegment> outbox = new Outbox<>(1 << 20);

  /** What was taken before the end was asked for must not count as the last message. */
  @Test
  void an_end_that_comes_after_the_last_segment_was_taken_is_a_message_of_its_own()
      throws InterruptedException {
    outbox.opened(0);
    outbox.put(index -> OutgoingSegment.text(index, "token"));
    Outbox.Batch<OutgoingSegment> segment = outbox.take(MANY, MANY);
    outbox.endWith(StreamEnd.newBuilder().setFinishReason("stop"));
    assertEquals(1, segment.items().size());
    assertNull(segment.end());
    assertFalse(segment.isLast());

    Outbox.Batch<OutgoingSegment> end = outbox.take(MANY, MANY);
    assertTrue(end.items().isEmpty());
    assertNotNull(end.end());
    assertEquals(1, end.end().getExpectedNextIndex());
    assertTrue(end.isLast());
  }

  @Test
  void a_writer_that_leaves_the_stream_open_has_a_last_message_without_an_end()
      throws InterruptedException {
    outbox.opened(0);
    outbox.put(index -> OutgoingSegment.text(index, "token"));
    outbox.endWith(null);
    Outbox.Batch<OutgoingSegment> segment = outbox.take(MANY, MANY);
    assertNull(segment.end());
    assertTrue(segment.isLast());
  }
}

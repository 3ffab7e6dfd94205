package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.StreamKey;
import io.agentjournal.segment.StreamWriter.Unnamed;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a lane gets to flush, and in which order. */
@Timeout(10)
final class LaneQueueTest {
  private static final StreamKey ONE = new StreamKey(Namespace.DEFAULT, "one");
  private static final StreamKey OTHER = new StreamKey(Namespace.DEFAULT, "other");

  private final LaneQueue queue = new LaneQueue();

  @Test
  void all_that_waits_is_taken_at_once() throws InterruptedException {
    Batch first = add(ONE, 0);
    Batch second = add(ONE, 1);
    Batch third = add(OTHER, 0);
    assertEquals(Map.of(ONE, List.of(first, second), OTHER, List.of(third)), queue.take());
  }

  @Test
  void what_comes_for_a_stream_that_is_in_a_flush_waits_until_that_is_done()
      throws InterruptedException {
    add(ONE, 0);
    queue.take();
    Batch behind = add(ONE, 1);
    Batch ofOther = add(OTHER, 0);
    assertEquals(Map.of(OTHER, List.of(ofOther)), queue.take());
    queue.done(Set.of(ONE), Map.of());
    assertEquals(Map.of(ONE, List.of(behind)), queue.take());
  }

  @Test
  void what_was_skipped_comes_again_before_what_came_after_it() throws InterruptedException {
    Batch skipped = add(ONE, 0);
    Map<StreamKey, List<Batch>> round = queue.take();
    Batch whileInFlush = add(ONE, 1);
    queue.done(Set.of(ONE), round);
    Batch later = add(ONE, 2);
    assertEquals(Map.of(ONE, List.of(skipped, whileInFlush, later)), queue.take());
  }

  @Test
  void flush_is_bounded_and_the_rest_of_a_stream_comes_in_the_next() throws InterruptedException {
    Batch large = add(ONE, 0, 8 << 20);
    Batch behind = add(ONE, 1);
    Batch ofOther = add(OTHER, 0);
    assertEquals(Map.of(ONE, List.of(large)), queue.take());
    assertEquals(Map.of(OTHER, List.of(ofOther)), queue.take());
    queue.done(Set.of(ONE, OTHER), Map.of());
    assertEquals(Map.of(ONE, List.of(behind)), queue.take());
  }

  @Test
  void closed_queue_still_gives_what_is_in_it_and_then_nothing() throws InterruptedException {
    Batch first = add(ONE, 0);
    queue.close();
    Map<StreamKey, List<Batch>> round = queue.take();
    assertEquals(Map.of(ONE, List.of(first)), round);
    queue.done(Set.of(ONE), round);
    assertEquals(round, queue.take());
    queue.done(Set.of(ONE), Map.of());
    assertTrue(queue.take().isEmpty());
  }

  @Test
  void stream_that_was_skipped_is_not_tried_again_at_once() throws InterruptedException {
    add(ONE, 0);
    Map<StreamKey, List<Batch>> round = queue.take();
    long skippedAt = System.nanoTime();
    queue.done(Set.of(ONE), round);
    Map<StreamKey, List<Batch>> again = queue.take();
    long waitedNanos = System.nanoTime() - skippedAt;
    assertEquals(round, again);
    assertTrue(waitedNanos > 2_000_000, waitedNanos + " ns");
  }

  private Batch add(StreamKey stream, long firstIndex) {
    return add(stream, firstIndex, 100);
  }

  private Batch add(StreamKey stream, long firstIndex, int sizeBytes) {
    Batch batch = batch(stream, firstIndex, sizeBytes);
    queue.add(batch);
    return batch;
  }

  /** Of nobody's. */
  static Batch batch(StreamKey stream, long firstIndex, int sizeBytes) {
    return new Batch(
        stream,
        new Unnamed(),
        "",
        firstIndex,
        PackedSegments.of(new byte[0]),
        null,
        sizeBytes,
        new NoCall());
  }

  /** Somebody who hears of nothing. */
  record NoCall() implements Batch.Origin {
    @Override
    public boolean isRefused() {
      return false;
    }

    @Override
    public void dropped(Batch batch) {}

    @Override
    public void flushed(Batch batch, Outcome outcome, boolean isLast) {}
  }
}

package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.StreamKey;
import io.agentjournal.segment.StreamWriter.Unnamed;
import io.agentjournal.v1.SegmentRun;
import org.junit.jupiter.api.Test;

/** What a flush makes of several calls that would open one stream. */
final class StreamFlushTest {
  private static final StreamKey STREAM = new StreamKey(Namespace.DEFAULT, "stream");

  private final StreamFlush flush = new StreamFlush(STREAM, HeadDecision.unopened(), false, 100);

  /** By a call of its own. */
  private void judge(String contentType, long firstIndex, String... texts) {
    SegmentRun.Builder run = SegmentRun.newBuilder();
    for (String text : texts) {
      run.addSegments(TestStream.segment(text));
    }
    PackedSegments segments = PackedSegments.of(run.build().toByteArray());
    flush.judge(
        new Batch(
            STREAM,
            new Unnamed(),
            contentType,
            firstIndex,
            segments,
            null,
            100,
            new LaneQueueTest.NoCall()),
        null);
  }

  @Test
  void a_refused_call_opens_nothing() {
    judge("text/refused", 1, "after a gap");
    assertFalse(flush.isToBeCreated());
  }

  @Test
  void the_content_type_is_that_of_the_first_call_that_is_not_refused() {
    judge("text/refused", 1, "after a gap");
    judge("text/opening", 0);
    judge("text/later", 0, "a");
    assertTrue(flush.isToBeCreated());
    assertEquals("text/opening", flush.contentType());
  }
}

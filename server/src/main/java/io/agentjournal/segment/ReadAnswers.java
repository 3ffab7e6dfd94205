package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.CorruptExtent;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.SegmentRun;
import org.jspecify.annotations.Nullable;

/** Makes the messages of one read of what it has in hand. Used by one step at a time. */
final class ReadAnswers {
  /** A message takes no further extent after so many bytes. */
  private static final int MESSAGE_BYTES = 256 << 10;

  private final StreamKey key;
  private final ReadPosition position;
  private final ExtentQueue queue;
  private @Nullable CorruptExtent corruption;

  ReadAnswers(StreamKey key, ReadPosition position, ExtentQueue queue) {
    this.key = key;
    this.position = position;
    this.queue = queue;
  }

  /**
   * The next segments, the position moved behind them; null when nothing is in hand.
   *
   * @throws CorruptExtent what comes next is not what was written; all that came before was sent
   */
  @Nullable ReadSegmentsResponse nextRun() {
    requireSound();
    SegmentRun.Builder run = SegmentRun.newBuilder().setFirstIndex(position.nextIndex());
    int bytes = 0;
    while (bytes < MESSAGE_BYTES && !position.isLimitReached()) {
      Extent extent = queue.poll();
      if (extent == null) {
        break;
      }
      try {
        ReadMessages.addTo(run, key, extent, position);
      } catch (CorruptExtent e) {
        corruption = e;
        break;
      }
      bytes += extent.data().length;
    }
    if (run.getSegmentsCount() > 0) {
      return ReadSegmentsResponse.newBuilder().setRun(run).build();
    }
    requireSound();
    return null;
  }

  private void requireSound() {
    if (corruption != null) {
      throw corruption;
    }
  }
}

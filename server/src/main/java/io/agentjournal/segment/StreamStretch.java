package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of a stream as one look found it, for those who tell streams among other things.
 *
 * @param endedAt null: it is OPEN
 * @param extents what was looked for of its segments, as far as it was found and is sound
 */
public record StreamStretch(
    StreamKey key, Head head, @Nullable Instant endedAt, List<Extent> extents) {
  public StreamStretch {
    extents = List.copyOf(extents);
  }

  /**
   * How far segments that follow each other from an index on are at hand, at most up to another.
   */
  public long reach(long from, long upTo) {
    long reached = from;
    for (Extent extent : extents) {
      if (extent.firstIndex() <= reached && extent.endIndex() > reached) {
        reached = extent.endIndex();
      }
    }
    return Math.max(from, Math.min(reached, upTo));
  }
}

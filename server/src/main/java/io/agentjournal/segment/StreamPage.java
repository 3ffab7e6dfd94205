package io.agentjournal.segment;

import java.util.List;

/**
 * A stretch of a stream as one look at the table found it.
 *
 * @param head read before the extents, which may therefore reach further
 * @param extents without a hole, from the one that covers the index that was asked for
 */
record StreamPage(Head head, List<Extent> extents) {

  /** Whether the segment of this index should be here, by the head, and is not. */
  boolean isMissing(long index) {
    return index < head.nextIndex() && (extents.isEmpty() || extents.get(0).firstIndex() > index);
  }
}

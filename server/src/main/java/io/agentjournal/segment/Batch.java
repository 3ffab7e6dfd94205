package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import org.jspecify.annotations.Nullable;

/**
 * What one message asks of a stream, checked as far as it can be without the stream's head.
 *
 * @param firstIndex of the first segment; meaningless without segments
 * @param sizeBytes of the memory that it holds until it is flushed
 */
record Batch(
    StreamKey stream,
    StreamWriter writer,
    String contentType,
    long firstIndex,
    PackedSegments segments,
    @Nullable StreamEnding ending,
    int sizeBytes,
    Origin origin) {

  /** The call that a batch came by. */
  interface Origin {
    /** True once a batch of the call was refused: those behind it are not stored any more. */
    boolean isRefused();

    /** Called on the lane's thread instead of {@link #flushed}, once the call is refused. */
    void dropped(Batch batch);

    /**
     * Called on the lane's thread after the commit, or after the failure; must not block.
     *
     * @param isLast no further batch of this call follows at once
     */
    void flushed(Batch batch, Outcome outcome, boolean isLast);
  }

  long nextIndex() {
    return firstIndex + segments.count();
  }
}

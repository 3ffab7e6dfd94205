package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import java.util.List;
import java.util.Map;

/**
 * What one transaction did.
 *
 * @param streams those that it judged
 * @param skipped those whose head somebody else had locked: their batches come again
 */
record Flush(List<FlushedStream> streams, Map<StreamKey, List<Batch>> skipped) {

  /**
   * A stream after the flush.
   *
   * @param outcomes one for each batch, in their order
   * @param extents what was added, in order
   */
  record FlushedStream(
      StreamKey key,
      List<Batch> batches,
      List<Outcome> outcomes,
      Head head,
      boolean exists,
      boolean changed,
      List<Extent> extents) {}
}

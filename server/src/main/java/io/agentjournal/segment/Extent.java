package io.agentjournal.segment;

import java.util.zip.CRC32C;

/**
 * Segments {@code [firstIndex, firstIndex + segmentCount)} of a stream as one row of {@code
 * extents} holds them.
 *
 * @param data the wire form of {@code SegmentRun.segments}; shared, never written to after
 *     construction
 */
@SuppressWarnings(
    "ArrayRecordComponent") // Compared by nobody; a copy of every payload would buy nothing.
record Extent(long streamId, long firstIndex, int segmentCount, byte[] data) {

  /** One row holds no more bytes than this, unless a single segment does. */
  static final int MAX_BYTES = 1 << 20;

  long endIndex() {
    return firstIndex + segmentCount;
  }

  /** CRC-32C of the data, as it is stored. */
  int checksum() {
    CRC32C checksum = new CRC32C();
    checksum.update(data);
    return (int) checksum.getValue();
  }
}

package io.agentjournal.segment;

import java.util.ArrayList;
import java.util.List;

/**
 * Turns what a flush adds to a stream into rows: as few as possible, none above {@link
 * Extent#MAX_BYTES}.
 */
final class ExtentPacking {
  private ExtentPacking() {}

  /** Segments that follow each other, the first at {@code firstIndex}. */
  static List<Extent> pack(long streamId, long firstIndex, List<PackedSegments> added) {
    List<Extent> extents = new ArrayList<>(1);
    List<PackedSegments> row = new ArrayList<>();
    long rowIndex = firstIndex;
    int rowBytes = 0;
    int rowCount = 0;
    for (PackedSegments segments : added) {
      for (PackedSegments piece : pieces(segments)) {
        if (rowCount > 0 && rowBytes + piece.data().length > Extent.MAX_BYTES) {
          extents.add(new Extent(streamId, rowIndex, rowCount, joined(row, rowBytes)));
          rowIndex += rowCount;
          row.clear();
          rowBytes = 0;
          rowCount = 0;
        }
        row.add(piece);
        rowBytes += piece.data().length;
        rowCount += piece.count();
      }
    }
    if (rowCount > 0) {
      extents.add(new Extent(streamId, rowIndex, rowCount, joined(row, rowBytes)));
    }
    return extents;
  }

  /** A message's segments, cut where they are more than a row holds. */
  private static List<PackedSegments> pieces(PackedSegments segments) {
    if (segments.data().length <= Extent.MAX_BYTES) {
      return List.of(segments);
    }
    List<PackedSegments> pieces = new ArrayList<>();
    int from = 0;
    while (from < segments.count()) {
      int start = segments.offsetOf(from);
      int to = from + 1;
      while (to < segments.count() && segments.offsetOf(to + 1) - start <= Extent.MAX_BYTES) {
        to++;
      }
      pieces.add(segments.slice(from, to));
      from = to;
    }
    return pieces;
  }

  private static byte[] joined(List<PackedSegments> row, int bytes) {
    if (row.size() == 1) {
      return row.get(0).data();
    }
    byte[] data = new byte[bytes];
    int offset = 0;
    for (PackedSegments segments : row) {
      System.arraycopy(segments.data(), 0, data, offset, segments.data().length);
      offset += segments.data().length;
    }
    return data;
  }
}

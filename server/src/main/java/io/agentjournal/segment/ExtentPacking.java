package io.agentjournal.segment;

import java.util.ArrayList;
import java.util.List;

/**
 * Turns what a flush adds to a stream into rows: as few as possible, none above a given size unless
 * a single segment is.
 */
final class ExtentPacking {
  private ExtentPacking() {}

  /** Segments that follow each other, the first at {@code firstIndex}. */
  static List<Extent> pack(
      long streamId, long firstIndex, List<PackedSegments> added, int maxBytes) {
    List<Extent> extents = new ArrayList<>(1);
    List<PackedSegments> row = new ArrayList<>();
    long rowIndex = firstIndex;
    int rowBytes = 0;
    int rowCount = 0;
    for (PackedSegments segments : added) {
      for (PackedSegments piece : segments.pieces(maxBytes)) {
        if (rowCount > 0 && rowBytes + piece.data().length > maxBytes) {
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

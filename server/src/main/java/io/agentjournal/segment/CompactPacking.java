package io.agentjournal.segment;

import java.util.ArrayList;
import java.util.List;

/**
 * Turns segments into rows of {@code compact_extents} that leave little of PostgreSQL's pages
 * empty. Of rows of 2.6 KB three fill a page; rows of 5 KB are cut up and kept in TOAST, where the
 * last piece of each leaves room in which nothing fits. So what deflates to less than a page is
 * tried as one row, as two, and so on, and stored as what takes least.
 */
final class CompactPacking {
  /** Of the wire form in a row: what a reader of one segment inflates. */
  private static final int ROW_BYTES = 32 << 10;

  private static final int MOST_DIVIDED = 4;

  // --- How PostgreSQL stores a row, in bytes.

  /** Without its header. */
  private static final int PAGE = 8168;

  private static final int LINE_POINTER = 4;

  /** All of a row but its data. */
  private static final int ROW_HEAD = 64;

  private static final int ALIGNMENT = 8;

  /** With the empty part of a page of the index. */
  private static final int INDEX_ENTRY = 44;

  /** The toast_tuple_target of compact_extents. */
  private static final int LARGEST_INLINE = 4080;

  private static final int TOAST_CHUNK = 1996;
  private static final int TOAST_CHUNKS_IN_PAGE = 4;

  private CompactPacking() {}

  /** Segments that follow each other, the first at {@code firstIndex}. */
  static List<StoredExtent> pack(long streamId, long firstIndex, List<PackedSegments> segments) {
    List<StoredExtent> rows = new ArrayList<>();
    for (Extent extent : ExtentPacking.pack(streamId, firstIndex, segments, ROW_BYTES)) {
      rows.addAll(smallest(extent));
    }
    return rows;
  }

  private static List<StoredExtent> smallest(Extent extent) {
    StoredExtent whole = StoredExtent.compact(extent);
    List<StoredExtent> smallest = List.of(whole);
    int deflated = whole.data().length;
    if (deflated > PAGE) {
      return smallest;
    }
    int least = onDisk(smallest);
    // Smaller rows hardly deflate better: this is the least that so many can take.
    for (int count = 2;
        count <= MOST_DIVIDED && deflated + count * (ROW_HEAD + INDEX_ENTRY) < least;
        count++) {
      List<StoredExtent> divided = divided(extent, count);
      int bytes = onDisk(divided);
      if (bytes < least) {
        smallest = divided;
        least = bytes;
      }
    }
    return smallest;
  }

  private static List<StoredExtent> divided(Extent extent, int count) {
    List<StoredExtent> rows = new ArrayList<>(count);
    long index = extent.firstIndex();
    for (PackedSegments part : PackedSegments.of(extent.data()).parts(count)) {
      rows.add(
          StoredExtent.compact(new Extent(extent.streamId(), index, part.count(), part.data())));
      index += part.count();
    }
    return rows;
  }

  private static int onDisk(List<StoredExtent> rows) {
    return rows.stream().mapToInt(row -> onDisk(row.data().length)).sum();
  }

  /**
   * The part of a page that a row takes where all are like it, and its index entry. In TOAST the
   * last piece of a row counts as a whole one.
   */
  private static int onDisk(int data) {
    int row = ROW_HEAD + data;
    if (row > LARGEST_INLINE) {
      int chunks = (data + TOAST_CHUNK - 1) / TOAST_CHUNK;
      return ROW_HEAD + INDEX_ENTRY + chunks * (PAGE / TOAST_CHUNKS_IN_PAGE + INDEX_ENTRY);
    }
    int aligned = (row + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    int rowsInPage = PAGE / (aligned + LINE_POINTER);
    return PAGE / rowsInPage + INDEX_ENTRY;
  }
}

package io.agentjournal.segment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Segments in the form in which they are stored and sent: the protobuf wire form of {@code
 * SegmentRun.segments}, each in its canonical encoding, so that two segments are equal exactly when
 * their bytes are. Immutable; nobody changes the array after it was handed over.
 *
 * @param payloadBytes of the segments' texts and data alone
 */
@SuppressWarnings(
    "ArrayRecordComponent") // Compared by nobody; a copy of every payload would buy nothing.
record PackedSegments(byte[] data, int count, long payloadBytes) {
  /** Of extents.format: the wire form of {@code repeated Segment segments = 3}. */
  static final short FORMAT = 1;

  static final PackedSegments NONE = new PackedSegments(new byte[0], 0, 0);

  /** Field 3, length-delimited. */
  static final byte TAG = 0x1a;

  /** The bytes of segments [from, count), for a writer whose first ones are stored already. */
  PackedSegments dropFirst(int segments) {
    if (segments == 0) {
      return this;
    }
    int offset = offsetOf(segments);
    byte[] rest = Arrays.copyOfRange(data, offset, data.length);
    return new PackedSegments(rest, count - segments, payloadIn(rest));
  }

  /** Segments [from, to). */
  PackedSegments slice(int from, int to) {
    byte[] part = Arrays.copyOfRange(data, offsetOf(from), offsetOf(to));
    return new PackedSegments(part, to - from, payloadIn(part));
  }

  /** Cut where they are more than so many bytes; a single segment may be. */
  List<PackedSegments> pieces(int maxBytes) {
    if (data.length <= maxBytes) {
      return List.of(this);
    }
    List<PackedSegments> pieces = new ArrayList<>();
    int start = 0;
    int pieceCount = 0;
    for (int offset = 0; offset < data.length; ) {
      int end = end(data, offset);
      if (pieceCount > 0 && end - start > maxBytes) {
        pieces.add(piece(start, offset, pieceCount));
        start = offset;
        pieceCount = 0;
      }
      pieceCount++;
      offset = end;
    }
    pieces.add(piece(start, data.length, pieceCount));
    return pieces;
  }

  /** Cut into so many that are about as large as each other; a large segment makes them fewer. */
  List<PackedSegments> parts(int most) {
    List<PackedSegments> parts = new ArrayList<>();
    int start = 0;
    int partCount = 0;
    for (int offset = 0; offset < data.length; ) {
      offset = end(data, offset);
      partCount++;
      if (share(offset, most) > share(start, most)) {
        parts.add(piece(start, offset, partCount));
        start = offset;
        partCount = 0;
      }
    }
    return parts;
  }

  /** In which of so many equal shares of the data a byte is. */
  private long share(int offset, int shares) {
    return (long) offset * shares / data.length;
  }

  private PackedSegments piece(int from, int to, int segments) {
    byte[] part = Arrays.copyOfRange(data, from, to);
    return new PackedSegments(part, segments, payloadIn(part));
  }

  /** How many of the first {@code segments} of both are equal before the first that differs. */
  int equalPrefix(PackedSegments other, int segments) {
    int mine = 0;
    int theirs = 0;
    for (int i = 0; i < segments; i++) {
      int myEnd = end(data, mine);
      int theirEnd = end(other.data, theirs);
      if (!Arrays.equals(data, mine, myEnd, other.data, theirs, theirEnd)) {
        return i;
      }
      mine = myEnd;
      theirs = theirEnd;
    }
    return segments;
  }

  /** Where the first {@code segments} end, in bytes. */
  int offsetOf(int segments) {
    int offset = 0;
    for (int i = 0; i < segments; i++) {
      offset = end(data, offset);
    }
    return offset;
  }

  /** Counts the segments in {@code data}, which must be whole. */
  static PackedSegments of(byte[] data) {
    int count = 0;
    for (int offset = 0; offset < data.length; offset = end(data, offset)) {
      count++;
    }
    return new PackedSegments(data, count, payloadIn(data));
  }

  private static long payloadIn(byte[] data) {
    long payload = 0;
    int offset = 0;
    while (offset < data.length) {
      int end = end(data, offset);
      // tag and length of the segment, then tag and length of its payload
      int inner = offset + 1 + varintSize(data, offset + 1);
      payload += varint(data, inner + 1);
      offset = end;
    }
    return payload;
  }

  private static int end(byte[] data, int offset) {
    if (data[offset] != TAG) {
      throw new IllegalArgumentException("no segment at byte " + offset);
    }
    return offset + 1 + varintSize(data, offset + 1) + varint(data, offset + 1);
  }

  private static int varint(byte[] data, int offset) {
    int value = 0;
    for (int shift = 0; ; shift += 7, offset++) {
      value |= (data[offset] & 0x7f) << shift;
      if (data[offset] >= 0) {
        return value;
      }
    }
  }

  private static int varintSize(byte[] data, int offset) {
    int size = 1;
    while (data[offset + size - 1] < 0) {
      size++;
    }
    return size;
  }
}

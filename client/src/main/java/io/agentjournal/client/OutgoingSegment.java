package io.agentjournal.client;

import com.google.protobuf.ByteString;
import io.agentjournal.v1.Segment;

/** A segment that may be sent: whole UTF-8 or bytes, and not too large. */
record OutgoingSegment(Segment segment, int sizeBytes) implements Outgoing {
  static final int MAX_SIZE_BYTES = 1 << 20;

  /** What it costs in memory besides its payload; also bounds a window full of empty segments. */
  private static final int OVERHEAD_BYTES = 64;

  static OutgoingSegment text(long index, String text) {
    return new OutgoingSegment(
        Segment.newBuilder().setText(text).build(), checkedSize(index, utf8Size(index, text)));
  }

  static OutgoingSegment data(long index, ByteString data) {
    return new OutgoingSegment(
        Segment.newBuilder().setData(data).build(), checkedSize(index, data.size()));
  }

  @Override
  public int windowBytes() {
    return sizeBytes + OVERHEAD_BYTES;
  }

  private static int checkedSize(long index, long sizeBytes) {
    if (sizeBytes > MAX_SIZE_BYTES) {
      throw new InvalidSegment(index, sizeBytes + " bytes, the limit is " + MAX_SIZE_BYTES);
    }
    return (int) sizeBytes;
  }

  /**
   * Protobuf would write a replacement character for half a surrogate pair, and nobody would know.
   */
  private static long utf8Size(long index, String text) {
    long size = text.length();
    for (int at = 0; at < text.length(); at++) {
      char unit = text.charAt(at);
      if (unit < 0x80) {
        continue;
      }
      if (unit < 0x800) {
        size += 1;
      } else if (!Character.isSurrogate(unit)) {
        size += 2;
      } else if (Character.isHighSurrogate(unit)
          && at + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(at + 1))) {
        size += 2;
        at++;
      } else {
        throw new InvalidSegment(
            index,
            "unpaired surrogate \\u%04x at char %d; append split text as bytes"
                .formatted((int) unit, at));
      }
    }
    return size;
  }
}

package io.agentjournal.payload;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;

/** What a caller stores: bytes that come back as they came, in the case that they came in. */
public record Payload(PayloadCase kind, ByteString bytes) {
  public static final Payload NONE = new Payload(PayloadCase.NONE, ByteString.EMPTY);

  /** One entry, input or result: 16 MiB. */
  public static final int MAX_BYTES = 16 << 20;

  /** What is larger is left out of unary answers and sent in parts by streaming ones: 1 MiB. */
  public static final int MAX_INLINE_BYTES = 1 << 20;

  public Payload {
    if (kind == PayloadCase.NONE && !bytes.isEmpty()) {
      throw new IllegalArgumentException("bytes of no case");
    }
  }

  public int size() {
    return bytes.size();
  }

  /**
   * The payload in parts of at most {@link #MAX_INLINE_BYTES}, at least one; text is cut between
   * code points.
   */
  public List<Payload> parts() {
    if (size() <= MAX_INLINE_BYTES) {
      return List.of(this);
    }
    List<Payload> parts = new ArrayList<>();
    for (int start = 0; start < size(); ) {
      int end = cut(start);
      parts.add(new Payload(kind, bytes.substring(start, end)));
      start = end;
    }
    return List.copyOf(parts);
  }

  private int cut(int start) {
    int end = Math.min(size(), start + MAX_INLINE_BYTES);
    if (kind != PayloadCase.DATA) {
      while (end < size() && isInsideCodePoint(bytes.byteAt(end))) {
        end--;
      }
    }
    return end;
  }

  /** A continuation byte of UTF-8. */
  private static boolean isInsideCodePoint(byte next) {
    return (next & 0xC0) == 0x80;
  }
}

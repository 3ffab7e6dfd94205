package io.agentjournal.segment;

import java.util.Arrays;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code extents} or of {@code compact_extents}, as it stands there.
 *
 * @param plainBytes the size of the segments' wire form, which {@code data} holds as it is or
 *     deflated
 */
@SuppressWarnings(
    "ArrayRecordComponent") // Compared by nobody; a copy of every payload would buy nothing.
record StoredExtent(
    long firstIndex, int segmentCount, short format, int checksum, int plainBytes, byte[] data) {
  private static final short DEFLATED = 2;

  /** Of prose it leaves 7 % more than zlib's default level, in less than half of its time. */
  private static final int LEVEL = 3;

  /** Of {@code extents}, whose rows are as they arrived. */
  static StoredExtent plain(
      long firstIndex, int segmentCount, short format, int checksum, byte[] data) {
    return new StoredExtent(firstIndex, segmentCount, format, checksum, data.length, data);
  }

  /** The form at rest: deflated, where that makes it smaller. */
  static StoredExtent compact(Extent extent) {
    byte[] plain = extent.data();
    byte[] deflated = deflated(plain);
    byte[] data = deflated == null ? plain : deflated;
    return new StoredExtent(
        extent.firstIndex(),
        extent.segmentCount(),
        deflated == null ? PackedSegments.FORMAT : DEFLATED,
        checksumOf(data),
        plain.length,
        data);
  }

  long endIndex() {
    return firstIndex + segmentCount;
  }

  boolean holds(long index) {
    return firstIndex <= index && index < endIndex();
  }

  /** The segments; null: this is not what was written. */
  @Nullable Extent sound(long streamId) {
    if (checksum != checksumOf(data)) {
      return null;
    }
    byte[] plain =
        switch (format) {
          case PackedSegments.FORMAT -> data;
          case DEFLATED -> inflated();
          default -> null;
        };
    return plain == null ? null : new Extent(streamId, firstIndex, segmentCount, plain);
  }

  private static int checksumOf(byte[] data) {
    CRC32C checksum = new CRC32C();
    checksum.update(data);
    return (int) checksum.getValue();
  }

  /** Null: it does not get smaller. Without zlib's own header and checksum. */
  private static byte @Nullable [] deflated(byte[] plain) {
    Deflater deflater = new Deflater(LEVEL, true);
    try {
      deflater.setInput(plain);
      deflater.finish();
      byte[] data = new byte[plain.length];
      int size = deflater.deflate(data);
      return deflater.finished() && size < plain.length ? Arrays.copyOf(data, size) : null;
    } finally {
      deflater.end();
    }
  }

  private byte @Nullable [] inflated() {
    Inflater inflater = new Inflater(true);
    try {
      inflater.setInput(data);
      byte[] plain = new byte[plainBytes];
      return inflater.inflate(plain) == plainBytes ? plain : null;
    } catch (DataFormatException e) {
      return null;
    } finally {
      inflater.end();
    }
  }
}

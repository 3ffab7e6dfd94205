package io.agentjournal.event;

import io.agentjournal.refusal.Refusal.InvalidField;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.CRC32C;

/**
 * A position as clients keep it: opaque, and good for its target only.
 *
 * @param eventNumber {@link #ALL}: every event up to the sequence was told
 * @param segmentIndex {@link #NO_STREAM}: none is told of
 */
record WatchCursor(long born, long sequence, long eventNumber, long segmentIndex) {
  static final long ALL = Long.MAX_VALUE;
  static final long NO_STREAM = -1;

  private static final byte FORMAT = 1;
  private static final int SIZE = 1 + Integer.BYTES + 4 * Long.BYTES;

  static WatchCursor of(WatchPosition position) {
    return new WatchCursor(
        position.born(),
        position.sequence(),
        position.submission() == null ? ALL : position.eventNumber(),
        position.stream() == null ? NO_STREAM : position.stream().nextIndex());
  }

  String text(WatchTarget target) {
    ByteBuffer bytes = ByteBuffer.allocate(SIZE);
    bytes.put(FORMAT).putInt(checksum(target));
    bytes.putLong(born).putLong(sequence).putLong(eventNumber).putLong(segmentIndex);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  /**
   * What a client kept.
   *
   * @throws InvalidField it is not a cursor of the target
   */
  static WatchCursor parse(WatchTarget target, String text) {
    ByteBuffer bytes = ByteBuffer.wrap(decoded(text));
    if (bytes.remaining() != SIZE || bytes.get() != FORMAT) {
      throw notOurs();
    }
    int checksum = bytes.getInt();
    WatchCursor cursor =
        new WatchCursor(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
    if (checksum != cursor.checksum(target)) {
      throw notOurs();
    }
    return cursor;
  }

  private static byte[] decoded(String text) {
    try {
      return Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw notOurs();
    }
  }

  static InvalidField notOurs() {
    return InvalidField.because("cursor", "not a cursor of this submission or session");
  }

  private int checksum(WatchTarget target) {
    CRC32C checksum = new CRC32C();
    checksum.update(target.namespace().name().getBytes(StandardCharsets.UTF_8));
    checksum.update(0);
    checksum.update(target.name().getBytes(StandardCharsets.UTF_8));
    ByteBuffer bytes = ByteBuffer.allocate(4 * Long.BYTES);
    bytes.putLong(born).putLong(sequence).putLong(eventNumber).putLong(segmentIndex);
    checksum.update(bytes.flip());
    return (int) checksum.getValue();
  }
}

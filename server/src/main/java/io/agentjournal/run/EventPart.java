package io.agentjournal.run;

import com.google.protobuf.ByteString;
import io.agentjournal.payload.PayloadCase;
import java.time.Instant;

/**
 * An event with its payload, or with a part of a large one.
 *
 * @param version another one for each payload that the event has had
 * @param offset of the part in the payload, in bytes
 * @param sizeBytes of the whole payload
 */
record EventPart(
    EventKey key,
    long position,
    long version,
    Instant createdAt,
    PayloadCase payloadCase,
    ByteString bytes,
    long offset,
    long sizeBytes) {

  long end() {
    return offset + bytes.size();
  }

  boolean isLast() {
    return end() == sizeBytes;
  }

  /**
   * Without the beginning of a code point that the part cuts through: that goes to the next one.
   */
  EventPart cutAtCodePoint() {
    if (isLast() || payloadCase == PayloadCase.DATA) {
      return this;
    }
    int end = bytes.size();
    // Back to the last byte that begins a code point: at most three bytes follow it.
    do {
      end--;
    } while ((bytes.byteAt(end) & 0xC0) == 0x80);
    return with(bytes.substring(0, end), offset);
  }

  EventPart with(ByteString part, long partOffset) {
    return new EventPart(
        key, position, version, createdAt, payloadCase, part, partOffset, sizeBytes);
  }
}

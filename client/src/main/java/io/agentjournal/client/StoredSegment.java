package io.agentjournal.client;

import com.google.protobuf.ByteString;
import io.agentjournal.v1.Segment;

/** A segment as it was written, and its index in its stream. */
public record StoredSegment(long index, Segment segment) {

  /** Written as text; otherwise as bytes. */
  public boolean isText() {
    return segment.hasText();
  }

  /** Of bytes: decoded by themselves, so that half a code point becomes a replacement character. */
  public String text() {
    return isText() ? segment.getText() : segment.getData().toStringUtf8();
  }

  public ByteString bytes() {
    return isText() ? segment.getTextBytes() : segment.getData();
  }
}

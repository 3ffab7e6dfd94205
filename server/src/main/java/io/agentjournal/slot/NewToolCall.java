package io.agentjournal.slot;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;

/** A tool call as the model asked for it. */
public record NewToolCall(
    String toolCallId,
    String name,
    ByteString arguments,
    boolean restartSafe,
    String idempotencyKey) {

  /**
   * What every answer with the call has of it, whatever becomes of its arguments: bytes of UTF-8.
   */
  public int namingBytes() {
    return utf8Bytes(toolCallId) + utf8Bytes(name) + utf8Bytes(idempotencyKey);
  }

  private static int utf8Bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}

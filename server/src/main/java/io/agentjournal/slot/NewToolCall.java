package io.agentjournal.slot;

import com.google.protobuf.ByteString;

/** A tool call as the model asked for it. */
public record NewToolCall(
    String toolCallId,
    String name,
    ByteString arguments,
    boolean restartSafe,
    String idempotencyKey) {}

package io.agentjournal.slot;

import com.google.protobuf.ByteString;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A recorded tool call. Beyond the request itself, each fact is written once.
 *
 * @param arguments null: not read
 * @param startedBy the attempt that recorded the start; of a restart-safe call, the last one
 * @param resultKind OK, ERROR, INTERRUPTED or DENIED
 * @param resultEntryId the entry that holds the result
 * @param endedBy the attempt that recorded the result
 */
public record ToolCall(
    String toolCallId,
    String name,
    @Nullable ByteString arguments,
    long argumentsSizeBytes,
    boolean restartSafe,
    String idempotencyKey,
    State state,
    @Nullable String startedBy,
    @Nullable Instant startedAt,
    @Nullable String resultKind,
    @Nullable String resultEntryId,
    @Nullable String endedBy,
    @Nullable Instant endedAt) {

  /** As stored; it only goes forward. */
  public enum State {
    RECORDED,
    STARTED,
    RESULT
  }
}

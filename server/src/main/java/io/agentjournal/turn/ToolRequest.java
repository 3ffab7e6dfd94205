package io.agentjournal.turn;

import com.google.protobuf.ByteString;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.TooLarge;
import io.agentjournal.slot.NewToolCall;
import io.agentjournal.slot.TurnFacts;
import io.agentjournal.submission.Sha256;
import io.agentjournal.transcript.NewEntries;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The model's answer asks for tools.
 *
 * @param checkpointLeafId the leaf that the turn worked from; empty: before the first entry; null:
 *     the session's leaf before the entries
 * @param entries the assistant's message
 * @param expectedNextIndex null: not said
 */
record ToolRequest(
    AttemptId attempt,
    String turnId,
    List<NewToolCall> calls,
    @Nullable String checkpointLeafId,
    NewEntries entries,
    @Nullable Long expectedNextIndex) {
  static final int MAX_CALLS = 1_000;

  /** Of all calls together: 16 MiB. */
  static final long MAX_ARGUMENT_BYTES = 16L << 20;

  /**
   * Of ids, names and idempotency keys of all calls together: 256 KiB, so that an answer with the
   * slot stays below 4 MiB whatever else is in it.
   */
  static final int MAX_NAMING_BYTES = 256 << 10;

  ToolRequest {
    Identifier.check("turn_id", turnId);
    calls = List.copyOf(calls);
    if (calls.isEmpty() || calls.size() > MAX_CALLS) {
      throw InvalidField.ofSize("calls", calls.size(), MAX_CALLS);
    }
    Set<String> ids = new HashSet<>();
    long argumentBytes = 0;
    long namingBytes = 0;
    for (NewToolCall call : calls) {
      if (!ids.add(call.toolCallId())) {
        throw InvalidField.ofValue("tool_call_id", call.toolCallId(), "twice in one request");
      }
      argumentBytes += call.arguments().size();
      namingBytes += call.namingBytes();
    }
    if (namingBytes > MAX_NAMING_BYTES) {
      throw new TooLarge("calls", namingBytes, MAX_NAMING_BYTES);
    }
    if (argumentBytes > MAX_ARGUMENT_BYTES) {
      throw new TooLarge("calls.arguments", argumentBytes, MAX_ARGUMENT_BYTES);
    }
  }

  /** Of the calls, in their order, with all that they carry. */
  ByteString callsSha256() {
    Sha256 digest = new Sha256().number(calls.size());
    for (NewToolCall call : calls) {
      digest
          .text(call.toolCallId())
          .text(call.name())
          .bytes(call.arguments())
          .number(call.restartSafe() ? 1 : 0)
          .text(call.idempotencyKey());
    }
    return digest.digest();
  }

  /** Whether the stored transition is this one, as far as its own facts tell. */
  boolean matches(TurnFacts.@Nullable Requested stored, ByteString callsSha256) {
    return stored != null
        && stored.attemptId().equals(attempt.id())
        && stored.callsSha256().equals(callsSha256)
        && LeafIds.matches(checkpointLeafId, stored.checkpointLeafId());
  }
}

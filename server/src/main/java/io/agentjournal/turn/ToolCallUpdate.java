package io.agentjournal.turn;

import io.agentjournal.key.Identifier;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.slot.ToolCall;
import io.agentjournal.transcript.NewEntry;
import org.jspecify.annotations.Nullable;

/**
 * That a call starts, or what came of it.
 *
 * @param result null: it starts
 */
record ToolCallUpdate(String toolCallId, @Nullable Result result) {
  ToolCallUpdate {
    Identifier.check("tool_call_id", toolCallId);
  }

  /**
   * What came of a call.
   *
   * @param kind OK, ERROR, INTERRUPTED or DENIED
   * @param entry the transcript's, marked as the result of the call
   */
  record Result(String kind, NewEntry entry) {
    Result {
      if (entry.toolCallId() == null) {
        throw InvalidField.because("entry.tool_call_id", "missing");
      }
    }
  }

  /**
   * Whether the attempt has recorded this of the call before, as far as the call's own facts tell.
   */
  boolean wasRecordedBy(String attemptId, ToolCall stored) {
    return result == null
        ? attemptId.equals(stored.startedBy())
        : attemptId.equals(stored.endedBy()) && isResultOf(stored);
  }

  /** Whether the call has this result, as far as its own facts tell. */
  boolean isResultOf(ToolCall stored) {
    return result != null
        && result.kind().equals(stored.resultKind())
        && result.entry().entryId().equals(stored.resultEntryId());
  }
}

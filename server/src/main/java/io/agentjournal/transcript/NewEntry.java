package io.agentjournal.transcript;

import io.agentjournal.key.Identifier;
import io.agentjournal.payload.Payload;
import org.jspecify.annotations.Nullable;

/**
 * An entry to append.
 *
 * @param parentId null: the entry before it in the request or, for the first, the session's leaf;
 *     empty: it is a root
 * @param toolCallId the call that it is the result of, if it is one
 */
public record NewEntry(
    String entryId,
    @Nullable String parentId,
    String kind,
    Payload payload,
    @Nullable String toolCallId) {
  public NewEntry {
    Identifier.check("entry_id", entryId);
    Identifier.check("kind", kind);
    if (parentId != null && !parentId.isEmpty()) {
      Identifier.check("parent_id", parentId);
    }
    if (toolCallId != null) {
      Identifier.check("tool_call_id", toolCallId);
    }
  }

  /** The same entry as the result of a call, whatever its writer said. */
  public NewEntry asResultOf(String call) {
    return new NewEntry(entryId, parentId, kind, payload, call);
  }
}

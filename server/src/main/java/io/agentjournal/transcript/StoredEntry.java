package io.agentjournal.transcript;

import io.agentjournal.payload.Payload;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is stored of an entry, as far as it decides whether a new one is a repeat of it. */
record StoredEntry(
    String entryId,
    @Nullable String parentId,
    String kind,
    Payload payload,
    @Nullable String turnId,
    @Nullable String toolCallId) {

  /**
   * Whether the new entry is this one again.
   *
   * @param previousId the entry before it in its request; null: it is the first, and where it hung
   *     then is not known
   */
  boolean isRepeatedBy(
      NewEntry entry, @Nullable String previousId, @Nullable String turnIdOfRequest) {
    return kind.equals(entry.kind())
        && payload.equals(entry.payload())
        && Objects.equals(toolCallId, entry.toolCallId())
        // A call's id is unique in its turn only: the result of another turn's call is another
        // entry.
        && (toolCallId == null || Objects.equals(turnId, turnIdOfRequest))
        && hasParentOf(entry, previousId);
  }

  private boolean hasParentOf(NewEntry entry, @Nullable String previousId) {
    String wanted = entry.parentId() != null ? entry.parentId() : previousId;
    return wanted == null || wanted.equals(parentId == null ? "" : parentId);
  }
}

package io.agentjournal.turn;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.transcript.NewEntries;
import io.agentjournal.transcript.NewEntry;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What UpdateToolCalls asks for.
 *
 * @param expectedLeafId null: not said
 */
record ToolCallUpdates(
    AttemptId attempt,
    String turnId,
    List<ToolCallUpdate> updates,
    @Nullable String expectedLeafId) {
  ToolCallUpdates {
    Identifier.check("turn_id", turnId);
    updates = List.copyOf(updates);
    if (updates.isEmpty() || updates.size() > ToolRequest.MAX_CALLS) {
      throw InvalidField.ofSize("updates", updates.size(), ToolRequest.MAX_CALLS);
    }
    Set<String> ids = new HashSet<>();
    for (ToolCallUpdate update : updates) {
      if (!ids.add(update.toolCallId())) {
        throw InvalidField.ofValue("tool_call_id", update.toolCallId(), "twice in one request");
      }
    }
    // Checks the limits of all entries together.
    entriesOf(updates, attempt, turnId, expectedLeafId);
  }

  boolean hasStart() {
    return updates.stream().anyMatch(update -> update.result() == null);
  }

  boolean hasResult() {
    return updates.stream().anyMatch(update -> update.result() != null);
  }

  /** The entries of those of the updates that have one. */
  NewEntries entriesOf(List<ToolCallUpdate> some) {
    return entriesOf(some, attempt, turnId, expectedLeafId);
  }

  private static NewEntries entriesOf(
      List<ToolCallUpdate> some,
      AttemptId attempt,
      String turnId,
      @Nullable String expectedLeafId) {
    List<NewEntry> entries =
        some.stream()
            .map(ToolCallUpdate::result)
            .filter(Objects::nonNull)
            .map(ToolCallUpdate.Result::entry)
            .toList();
    return new NewEntries(entries, expectedLeafId, attempt.submission().id(), turnId);
  }
}

package io.agentjournal.transcript;

import io.agentjournal.payload.Payload;
import io.agentjournal.payload.PayloadMessages;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Entries to append, from messages. */
public final class EntryMessages {
  private EntryMessages() {}

  /**
   * The entries of a request.
   *
   * @param expectedLeafId null: not said
   * @param submissionId whose attempt writes them; null: nobody's
   * @param turnId null: outside of a turn
   */
  public static NewEntries from(
      List<io.agentjournal.v1.NewEntry> messages,
      @Nullable String expectedLeafId,
      @Nullable String submissionId,
      @Nullable String turnId) {
    return new NewEntries(
        messages.stream().map(EntryMessages::from).toList(), expectedLeafId, submissionId, turnId);
  }

  public static NewEntry from(io.agentjournal.v1.NewEntry message) {
    return new NewEntry(
        message.getEntryId(),
        message.hasParentId() ? message.getParentId() : null,
        message.getKind(),
        PayloadMessages.from("entries.payload", message.getPayload(), Payload.MAX_BYTES),
        message.getToolCallId().isEmpty() ? null : message.getToolCallId());
  }
}

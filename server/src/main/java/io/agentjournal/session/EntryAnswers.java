package io.agentjournal.session;

import com.google.protobuf.Message;
import io.agentjournal.database.Transactions;
import io.agentjournal.key.SessionKey;
import io.agentjournal.payload.Payload;
import io.agentjournal.payload.PayloadMessages;
import io.agentjournal.refusal.Refusal.SessionNotFound;
import io.agentjournal.rpc.Times;
import io.agentjournal.transcript.Entry;
import io.agentjournal.transcript.EntryReadRows;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A stream's messages of entries: as many entries as fit into one, an entry that is too large alone
 * and in parts, and the end as the last one. Reads what the next message needs when it is asked
 * for.
 */
final class EntryAnswers<M extends Message> implements Iterator<M> {
  /** Payloads in one message, which stays well below 4 MiB with all else that it carries. */
  private static final int MAX_MESSAGE_BYTES = 2 << 20;

  private final EntryPages pages;
  private final PayloadSource payloads;
  private final Function<List<io.agentjournal.v1.Entry>, M> message;
  private final LongFunction<M> end;
  private final Deque<Entry> read = new ArrayDeque<>();
  private final Deque<io.agentjournal.v1.Entry> parts = new ArrayDeque<>();
  private long entryCount;
  private boolean ended;

  /**
   * Begins nothing yet.
   *
   * @param payloads null: they are left out
   * @param end makes the last message of the number of entries
   */
  EntryAnswers(
      EntryPages pages,
      @Nullable PayloadSource payloads,
      Function<List<io.agentjournal.v1.Entry>, M> message,
      LongFunction<M> end) {
    this.pages = pages;
    this.payloads = payloads == null ? ids -> Map.of() : payloads;
    this.message = message;
    this.end = end;
  }

  /** Reads the payloads of entries. */
  @FunctionalInterface
  interface PayloadSource {
    Map<String, Payload> of(List<String> entryIds);

    static PayloadSource in(Transactions transactions, EntryReadRows rows, SessionKey session) {
      return ids -> {
        Map<String, Payload> found =
            transactions.readOnly("ReadEntries", tx -> rows.payloads(tx, session, ids));
        if (found.size() != ids.size()) {
          // Entries never go but with their session.
          throw new SessionNotFound(session.key());
        }
        return found;
      };
    }
  }

  @Override
  public boolean hasNext() {
    return !ended;
  }

  @Override
  public M next() {
    if (ended) {
      throw new NoSuchElementException();
    }
    if (!parts.isEmpty()) {
      return message.apply(List.of(parts.remove()));
    }
    if (read.isEmpty()) {
      read.addAll(pages.next());
    }
    if (read.isEmpty()) {
      ended = true;
      return end.apply(entryCount);
    }
    List<Entry> group = nextGroup();
    entryCount += group.size();
    Map<String, Payload> found = payloads.of(group.stream().map(Entry::entryId).toList());
    List<io.agentjournal.v1.Entry> messages = new ArrayList<>();
    for (Entry entry : group) {
      Payload payload = found.getOrDefault(entry.entryId(), Payload.NONE);
      long offset = 0;
      for (Payload part : payload.parts()) {
        messages.add(from(entry, part, offset));
        offset += part.size();
      }
    }
    if (group.size() == 1) {
      parts.addAll(messages);
      return message.apply(List.of(parts.remove()));
    }
    return message.apply(messages);
  }

  /** One that comes in parts is alone. */
  private List<Entry> nextGroup() {
    List<Entry> group = new ArrayList<>();
    long bytes = 0;
    for (Entry next = read.peek(); next != null; next = read.peek()) {
      bytes += next.payloadBytes();
      boolean isLarge = next.payloadBytes() > Payload.MAX_INLINE_BYTES;
      if (!group.isEmpty() && (isLarge || bytes > MAX_MESSAGE_BYTES)) {
        return group;
      }
      group.add(read.remove());
      if (isLarge) {
        return group;
      }
    }
    return group;
  }

  private static io.agentjournal.v1.Entry from(Entry entry, Payload part, long offset) {
    io.agentjournal.v1.Entry.Builder message =
        io.agentjournal.v1.Entry.newBuilder()
            .setEntryId(entry.entryId())
            .setKind(entry.kind())
            .setPayload(PayloadMessages.from(part))
            .setPayloadSizeBytes(entry.payloadBytes())
            .setPayloadOffset(offset)
            .setDepth(entry.depth())
            .setCreatedAt(Times.message(entry.createdAt()));
    if (entry.parentId() != null) {
      message.setParentId(entry.parentId());
    }
    if (entry.toolCallId() != null) {
      message.setToolCallId(entry.toolCallId());
    }
    if (entry.submissionId() != null) {
      message.setSubmissionId(entry.submissionId());
    }
    if (entry.turnId() != null) {
      message.setTurnId(entry.turnId());
    }
    return message.build();
  }
}

package io.agentjournal.run;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.RunId;
import io.agentjournal.refusal.Refusal.RunNotFound;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a run's events page by page, large payloads part by part, each in a short transaction of
 * its own. Of one call; not thread-safe; {@link #next} blocks.
 */
final class EventReader {
  private final Transactions transactions;
  private final RunId run;
  private final EventFilter filter;
  private final EventRows rows = new EventRows();
  private @Nullable EventPart last;
  private long eventCount;

  EventReader(Transactions transactions, RunId run, EventFilter filter) {
    this.transactions = transactions;
    this.run = run;
    this.filter = filter;
  }

  /** What one message carries; empty: there is no more. */
  List<EventPart> next() {
    EventPart before = last;
    List<EventPart> parts =
        before == null || before.isLast() ? nextPage(before) : List.of(nextPart(before));
    if (!parts.isEmpty()) {
      last = parts.get(parts.size() - 1);
    }
    return parts;
  }

  /** Events that {@link #next} has told so far. */
  long eventCount() {
    return eventCount;
  }

  private List<EventPart> nextPage(@Nullable EventPart before) {
    long seq = before == null ? filter.startSeq() : before.key().seq();
    long position = before == null ? -1 : before.position();
    List<EventPart> page =
        transactions.readOnly(
            "list_events", connection -> rows.page(connection, run, filter, seq, position));
    eventCount += page.size();
    return page;
  }

  /** A payload that was replaced in the midst of its parts is told again from its beginning. */
  private EventPart nextPart(EventPart before) {
    return transactions.readOnly(
        "read_event",
        connection -> {
          EventPart part = rows.partAfter(connection, run, before);
          if (part == null) {
            part = rows.find(connection, run, before.key());
          }
          if (part == null) {
            throw new RunNotFound(run.id());
          }
          return part;
        });
  }
}

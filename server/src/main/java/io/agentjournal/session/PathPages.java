package io.agentjournal.session;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.SessionKey;
import io.agentjournal.refusal.Refusal.SessionNotFound;
import io.agentjournal.transcript.Entry;
import io.agentjournal.transcript.EntryReadRows;
import java.util.List;

/**
 * The path down to an entry, from a depth on. For each page its last entry is found by jumps from
 * the end of the path, and the page is read upwards from there: what is not read costs nothing but
 * the jumps.
 */
final class PathPages implements EntryPages {
  private final Transactions transactions;
  private final EntryReadRows rows;
  private final SessionKey session;
  private final Entry end;
  private long nextDepth;

  PathPages(
      Transactions transactions,
      EntryReadRows rows,
      SessionKey session,
      Entry end,
      long fromDepth) {
    this.transactions = transactions;
    this.rows = rows;
    this.session = session;
    this.end = end;
    this.nextDepth = fromDepth;
  }

  @Override
  public List<Entry> next() {
    if (nextDepth > end.depth()) {
      return List.of();
    }
    long lastDepth = Math.min(end.depth(), nextDepth + PAGE_SIZE - 1);
    long firstDepth = nextDepth;
    List<Entry> page =
        transactions.readOnly(
            "ReadActivePath",
            tx -> {
              String last = rows.ancestor(tx, session, end.entryId(), lastDepth);
              return last == null ? List.of() : rows.path(tx, session, last, firstDepth);
            });
    if (page.size() != lastDepth - firstDepth + 1) {
      // Entries never go but with their session.
      throw new SessionNotFound(session.key());
    }
    nextDepth = lastDepth + 1;
    return page;
  }
}

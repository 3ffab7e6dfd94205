package io.agentjournal.session;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.SessionKey;
import io.agentjournal.transcript.Entry;
import io.agentjournal.transcript.EntryReadRows;
import java.util.List;

/** All entries of a session in the order in which they were stored: parents before children. */
final class OrderedPages implements EntryPages {
  private final Transactions transactions;
  private final EntryReadRows rows;
  private final SessionKey session;
  private long afterNumber;

  OrderedPages(
      Transactions transactions, EntryReadRows rows, SessionKey session, long afterNumber) {
    this.transactions = transactions;
    this.rows = rows;
    this.session = session;
    this.afterNumber = afterNumber;
  }

  @Override
  public List<Entry> next() {
    long after = afterNumber;
    List<Entry> page =
        transactions.readOnly("ListEntries", tx -> rows.inOrder(tx, session, after, PAGE_SIZE));
    if (!page.isEmpty()) {
      afterNumber = page.get(page.size() - 1).entryNumber();
    }
    return page;
  }
}

package io.agentjournal.recovery;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.Namespace;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks for what may be taken over. Changes nothing. Thread-safe; every method blocks. */
public final class OverdueStore {
  private final Transactions transactions;
  private final RecoveryStore recoveries;
  private final OverdueRows rows = new OverdueRows();

  public OverdueStore(Transactions transactions, RecoveryStore recoveries) {
    this.transactions = transactions;
    this.recoveries = recoveries;
  }

  /**
   * A page of the list.
   *
   * @param last the last that was looked at; null: there is nothing after it
   */
  record Page(List<Recoverable> recoverable, OverdueRows.@Nullable Position last) {}

  /** The first so many after a position, longest overdue first, with their plans. */
  Page page(
      Namespace namespace, List<String> queues, OverdueRows.@Nullable Position after, int size) {
    return transactions.snapshot(
        "list_recoverable",
        connection -> {
          List<Overdue> found = rows.list(connection, namespace, queues, after, size + 1);
          boolean isLast = found.size() <= size;
          List<Overdue> listed = isLast ? found : found.subList(0, size);
          return new Page(
              planned(connection, listed),
              isLast ? null : OverdueRows.Position.of(listed.get(size - 1)));
        });
  }

  /** The first so many after a position, longest overdue first. */
  List<Overdue> list(
      Namespace namespace, List<String> queues, OverdueRows.@Nullable Position after, int size) {
    return transactions.readOnly(
        "list_overdue", connection -> rows.list(connection, namespace, queues, after, size));
  }

  /** Those of all namespaces that became overdue within the last so many milliseconds. */
  List<Overdue> recent(long millis) {
    return transactions.readOnly(
        "list_recently_overdue", connection -> rows.listRecent(connection, millis));
  }

  /** Empty: it may not be taken over any more. */
  Optional<Recoverable> recoverable(Overdue found) {
    return transactions.snapshot(
        "plan_recoverable", connection -> recoveries.recoverable(connection, found));
  }

  private List<Recoverable> planned(Connection connection, List<Overdue> found)
      throws SQLException {
    List<Recoverable> planned = new ArrayList<>();
    for (Overdue overdue : found) {
      recoveries.recoverable(connection, overdue).ifPresent(planned::add);
    }
    return planned;
  }
}

package io.agentjournal.run;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.RunId;
import java.util.Optional;
import java.util.OptionalLong;

/** What is asked of a run's events. Thread-safe; blocks. */
final class EventStore {
  private final Transactions transactions;
  private final EventRows rows = new EventRows();

  EventStore(Transactions transactions) {
    this.transactions = transactions;
  }

  /** For one call. */
  EventReader reader(RunId run, EventFilter filter) {
    return new EventReader(transactions, run, filter);
  }

  /** Of a large payload the first part; empty: it is not recorded. */
  Optional<EventPart> find(RunId run, EventKey key) {
    return transactions.readOnly(
        "get_event", connection -> Optional.ofNullable(rows.find(connection, run, key)));
  }

  OptionalLong lastIteration(RunId run) {
    return transactions.readOnly(
        "get_last_iteration", connection -> rows.lastIteration(connection, run));
  }

  /**
   * Compares all events with what is expected, as they stand at one moment and without holding more
   * than a few of them.
   */
  void requireOrder(RunId run, ExpectedOrder expected) {
    transactions.readOnly(
        "assert_replay_order",
        connection -> {
          ReplayOrder order = new ReplayOrder(expected);
          rows.inOrder(connection, run, order::found);
          order.ended();
          return order;
        });
  }
}

package io.agentjournal.database;

import java.sql.SQLException;
import java.util.Set;

/** What an SQLSTATE says about the transaction that it ended. */
enum SqlState {
  /** Another transaction was in the way; this one was rolled back and may well pass next time. */
  CONTENTION,
  /** The connection is gone, and with it what was not committed. */
  CONNECTION_LOST,
  /** The database cannot serve just now: resources, an operator's cancel, a demoted primary. */
  NOT_NOW,
  /** Anything else: the statement or its data is wrong. */
  FAULT;

  /** deadlock_detected, serialization_failure, lock_not_available. */
  private static final Set<String> CONTENTION_STATES = Set.of("40P01", "40001", "55P03");

  /** query_canceled, read_only_sql_transaction, io_error. */
  private static final Set<String> NOT_NOW_STATES = Set.of("57014", "25006", "58030");

  /** Classes of which a COMMIT that reports them has certainly not committed. */
  private static final Set<String> ROLLED_BACK_CLASSES = Set.of("23", "25");

  static SqlState of(SQLException failure) {
    String state = stateOf(failure);
    if (CONTENTION_STATES.contains(state)) {
      return CONTENTION;
    }
    // 57P: shut down, crashed, starting, database dropped, idle too long; 25P03: idle in
    // transaction.
    if (state.startsWith("08") || state.startsWith("57P") || state.equals("25P03")) {
      return CONNECTION_LOST;
    }
    // 53: too many connections, disk full, out of memory.
    if (state.startsWith("53") || NOT_NOW_STATES.contains(state)) {
      return NOT_NOW;
    }
    return FAULT;
  }

  /** Whether the connection that reported it should not be used again. */
  boolean spoilsConnection() {
    return this == CONNECTION_LOST || this == NOT_NOW;
  }

  /**
   * Whether a failed COMMIT certainly changed nothing; all that is not certain counts as unknown.
   */
  static boolean certainlyRolledBack(SQLException failure) {
    String state = stateOf(failure);
    return CONTENTION_STATES.contains(state)
        || (state.length() == 5
            && ROLLED_BACK_CLASSES.contains(state.substring(0, 2))
            && !state.equals("25P03"));
  }

  private static String stateOf(SQLException failure) {
    String state = failure.getSQLState();
    return state == null ? "" : state;
  }
}

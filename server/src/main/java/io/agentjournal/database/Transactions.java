package io.agentjournal.database;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs work in READ COMMITTED transactions. Thread-safe; every call blocks for as long as
 * PostgreSQL takes. One transaction:
 *
 * <ol>
 *   <li>takes a connection; when there is none, {@link DatabaseUnavailable};
 *   <li>does the work and commits; whatever the work throws rolls back and is thrown on;
 *   <li>lost to contention or to a dead connection before the commit, it has changed nothing and is
 *       run again, up to three times, then {@link DatabaseUnavailable};
 *   <li>lost during the commit, its outcome is unknown: {@link DatabaseUnavailable} saying so,
 *       never run again;
 *   <li>any other failure of SQL is a {@link DatabaseFailure}.
 * </ol>
 *
 * {@link SQLException} does not leave this class.
 */
public final class Transactions {
  private static final int MAX_RETRIES = 3;
  private static final long FIRST_PAUSE_MILLIS = 5;

  /** Ends with the transaction. */
  private static final String ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ";

  private final Database database;

  /**
   * The transaction that this thread is in: a second one would wait for the pool inside the first.
   */
  private final ThreadLocal<@Nullable String> current = new ThreadLocal<>();

  public Transactions(Database database) {
    this.database = database;
  }

  /** Reads and writes. The name is for messages. */
  public <T extends @Nullable Object> T run(String name, Work<T> work) {
    return repeatedly(name, false, work);
  }

  /** Reads only: PostgreSQL refuses a write. */
  public <T extends @Nullable Object> T readOnly(String name, Work<T> work) {
    return repeatedly(name, true, work);
  }

  /** As {@link #readOnly}, and all statements see the same moment. */
  public <T extends @Nullable Object> T snapshot(String name, Work<T> work) {
    return readOnly(
        name,
        connection -> {
          try (Statement statement = connection.createStatement()) {
            statement.execute(ONE_MOMENT);
          }
          return work.on(connection);
        });
  }

  private <T extends @Nullable Object> T repeatedly(String name, boolean readOnly, Work<T> work) {
    String outer = current.get();
    if (outer != null) {
      throw new IllegalStateException("transaction " + name + " begun inside " + outer);
    }
    current.set(name);
    try {
      for (int retries = 0; ; retries++) {
        try {
          return once(name, readOnly, work);
        } catch (SQLException e) {
          SqlState state = SqlState.of(e);
          if (state == SqlState.FAULT) {
            throw new DatabaseFailure(name, e);
          }
          if (state == SqlState.NOT_NOW || retries == MAX_RETRIES) {
            throw DatabaseUnavailable.nothingChanged(name, e);
          }
          pause(retries);
        }
      }
    } finally {
      current.remove();
    }
  }

  /** Throws SQLException only where the transaction has certainly changed nothing. */
  private <T extends @Nullable Object> T once(String name, boolean readOnly, Work<T> work)
      throws SQLException {
    try (BorrowedConnection borrowed = borrow(name)) {
      T result;
      try {
        borrowed.connection().setReadOnly(readOnly);
        result = work.on(borrowed.connection());
      } catch (Throwable e) {
        borrowed.rollBack(e);
        throw e;
      }
      commit(name, readOnly, borrowed);
      return result;
    }
  }

  private BorrowedConnection borrow(String name) {
    try {
      return new BorrowedConnection(database);
    } catch (SQLException e) {
      throw DatabaseUnavailable.nothingChanged(name, e);
    }
  }

  private static void commit(String name, boolean readOnly, BorrowedConnection borrowed)
      throws SQLException {
    try {
      borrowed.connection().commit();
    } catch (SQLException e) {
      borrowed.rollBack(e);
      if (readOnly || SqlState.certainlyRolledBack(e)) {
        throw e;
      }
      throw DatabaseUnavailable.outcomeUnknown(name, e);
    }
  }

  private static void pause(int retries) {
    long most = FIRST_PAUSE_MILLIS << retries;
    long millis = ThreadLocalRandom.current().nextLong(1, most + 1);
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }
}

package io.agentjournal.database;

import static io.agentjournal.database.Accounts.execute;
import static io.agentjournal.database.Accounts.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.Wait;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Against a second, real connection that is in the way. */
final class TransactionContentionTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  private Accounts accounts;
  private Transactions transactions;
  private Connection other;

  @BeforeEach
  void open() throws SQLException {
    accounts = new Accounts(POSTGRES.emptyDatabase());
    transactions = accounts.transactions;
    other = accounts.other;
  }

  @AfterEach
  void close() {
    accounts.close();
  }

  @Test
  void lock_that_was_not_available_is_tried_again() throws SQLException {
    execute(other, "UPDATE account SET balance = 1 WHERE id = 1");
    AtomicInteger runs = new AtomicInteger();
    transactions.run(
        "behind_a_lock",
        connection -> {
          if (runs.incrementAndGet() == 2) {
            other.commit();
          }
          execute(connection, "SET LOCAL lock_timeout = '20ms'");
          execute(connection, "UPDATE account SET balance = balance + 1 WHERE id = 1");
          return 0;
        });
    assertEquals(2, runs.get());
    assertEquals(2, accounts.balance(1));
  }

  @Test
  void lock_that_stays_is_tried_four_times_and_changes_nothing() throws SQLException {
    execute(other, "UPDATE account SET balance = 1 WHERE id = 1");
    AtomicInteger runs = new AtomicInteger();
    DatabaseUnavailable failure =
        assertThrows(
            DatabaseUnavailable.class,
            () ->
                transactions.run(
                    "behind_a_lock",
                    connection -> {
                      runs.incrementAndGet();
                      execute(connection, "SET LOCAL lock_timeout = '20ms'");
                      execute(connection, "UPDATE account SET balance = 9 WHERE id = 1");
                      return 0;
                    }));
    assertFalse(failure.outcomeUnknown());
    assertEquals(4, runs.get());
    other.rollback();
    assertEquals(0, accounts.balance(1));
  }

  @Test
  void failure_to_serialize_is_tried_again() throws SQLException {
    AtomicInteger runs = new AtomicInteger();
    transactions.run(
        "on_an_old_snapshot",
        connection -> {
          execute(connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
          query(connection, "SELECT balance FROM account WHERE id = 1");
          if (runs.incrementAndGet() == 1) {
            execute(other, "UPDATE account SET balance = 10 WHERE id = 1");
            other.commit();
          }
          execute(connection, "UPDATE account SET balance = balance + 1 WHERE id = 1");
          return 0;
        });
    assertEquals(2, runs.get());
    assertEquals(11, accounts.balance(1));
  }

  @Test
  void deadlock_is_tried_again() throws SQLException, ExecutionException, InterruptedException {
    execute(other, "UPDATE account SET balance = 10 WHERE id = 2");
    int pidOfOther = query(other, "SELECT pg_backend_pid()");
    AtomicInteger runs = new AtomicInteger();
    CompletableFuture<Void> otherDone = new CompletableFuture<>();
    transactions.run(
        "crossing",
        connection -> {
          execute(connection, "SET LOCAL deadlock_timeout = '10ms'");
          execute(connection, "UPDATE account SET balance = balance + 1 WHERE id = 1");
          if (runs.incrementAndGet() == 1) {
            startCrossing(otherDone);
            Wait.until("the other one waits for us", () -> waitsForLock(connection, pidOfOther));
          }
          execute(connection, "UPDATE account SET balance = balance + 1 WHERE id = 2");
          return 0;
        });
    otherDone.get();
    // The second run may cross the other one's path as well, before that has the row it waits for.
    assertTrue(runs.get() >= 2, runs + " runs");
    assertEquals(11, accounts.balance(1));
    assertEquals(11, accounts.balance(2));
  }

  private void startCrossing(CompletableFuture<Void> done) {
    Thread thread =
        new Thread(
            () -> {
              try {
                execute(other, "UPDATE account SET balance = 10 WHERE id = 1");
                other.commit();
                done.complete(null);
              } catch (SQLException e) {
                done.completeExceptionally(e);
              }
            });
    thread.start();
  }

  private static boolean waitsForLock(Connection connection, int pid) {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT count(*) FROM pg_locks WHERE pid = ? AND NOT granted")) {
      statement.setInt(1, pid);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() && row.getInt(1) > 0;
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}

package io.agentjournal.database;

import static io.agentjournal.database.Accounts.execute;
import static io.agentjournal.database.Accounts.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.agentjournal.testing.PostgresExtension;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class TransactionsTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  private Accounts accounts;
  private Transactions transactions;

  @BeforeEach
  void open() throws SQLException {
    accounts = new Accounts(POSTGRES.emptyDatabase());
    transactions = accounts.transactions;
  }

  @AfterEach
  void close() {
    accounts.close();
  }

  @Test
  void work_is_committed_and_its_value_returned() throws SQLException {
    int balance =
        transactions.run(
            "deposit",
            connection -> {
              execute(connection, "UPDATE account SET balance = 7 WHERE id = 1");
              return query(connection, "SELECT balance FROM account WHERE id = 1");
            });
    assertEquals(7, balance);
    assertEquals(7, accounts.balance(1));
  }

  @Test
  void exception_of_the_work_rolls_back_and_is_thrown_on() throws SQLException {
    IllegalArgumentException thrown = new IllegalArgumentException("the work says no");
    IllegalArgumentException caught =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                transactions.run(
                    "refused",
                    connection -> {
                      execute(connection, "UPDATE account SET balance = 7 WHERE id = 1");
                      throw thrown;
                    }));
    assertEquals(thrown, caught);
    assertEquals(0, accounts.balance(1));
  }

  @Test
  void fault_of_the_statement_keeps_its_state_and_is_not_run_again() {
    AtomicInteger runs = new AtomicInteger();
    DatabaseFailure failure =
        assertThrows(
            DatabaseFailure.class,
            () ->
                transactions.run(
                    "duplicate",
                    connection -> {
                      runs.incrementAndGet();
                      execute(connection, "INSERT INTO account VALUES (1, 0)");
                      return 0;
                    }));
    assertEquals("23505", failure.sqlState());
    assertEquals(1, runs.get());
  }

  @Test
  void read_only_work_cannot_write() {
    DatabaseUnavailable failure =
        assertThrows(
            DatabaseUnavailable.class,
            () ->
                transactions.readOnly(
                    "sneaky",
                    connection -> {
                      execute(connection, "UPDATE account SET balance = 7 WHERE id = 1");
                      return 0;
                    }));
    assertFalse(failure.outcomeUnknown());
  }

  /** B088: each of them would wait for a connection that the others hold. */
  @Test
  void transaction_inside_a_transaction_is_refused() {
    assertThrows(
        IllegalStateException.class,
        () -> transactions.run("outer", connection -> transactions.readOnly("inner", inner -> 0)));
    int after = transactions.readOnly("after", connection -> query(connection, "SELECT 1"));
    assertEquals(1, after);
  }
}

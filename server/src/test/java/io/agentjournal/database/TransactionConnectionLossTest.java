package io.agentjournal.database;

import static io.agentjournal.database.Accounts.execute;
import static io.agentjournal.database.Accounts.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.Wait;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Connections that die at each moment of a transaction. */
final class TransactionConnectionLossTest {
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
  void connection_that_died_before_the_commit_is_replaced_and_the_work_run_again()
      throws SQLException {
    AtomicInteger runs = new AtomicInteger();
    transactions.run(
        "cut",
        connection -> {
          execute(connection, "UPDATE account SET balance = balance + 1 WHERE id = 1");
          if (runs.incrementAndGet() == 1) {
            int pid = query(connection, "SELECT pg_backend_pid()");
            query(other, "SELECT count(pg_terminate_backend(" + pid + "))");
          }
          execute(connection, "UPDATE account SET balance = balance + 1 WHERE id = 1");
          return 0;
        });
    assertEquals(2, runs.get());
    assertEquals(2, accounts.balance(1));
  }

  @Test
  void commit_whose_answer_is_lost_is_of_unknown_outcome_and_not_run_again() throws Exception {
    execute(
        other,
        """
        CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(60); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER at_commit AFTER UPDATE ON account
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION linger()
        """);
    other.commit();
    AtomicInteger runs = new AtomicInteger();
    CompletableFuture<Integer> backend = new CompletableFuture<>();
    Thread killer = new Thread(() -> terminateDuringCommit(backend.join()));
    killer.start();
    DatabaseUnavailable failure =
        assertThrows(
            DatabaseUnavailable.class,
            () ->
                transactions.run(
                    "cut_in_its_commit",
                    connection -> {
                      runs.incrementAndGet();
                      execute(connection, "UPDATE account SET balance = 1 WHERE id = 1");
                      backend.complete(query(connection, "SELECT pg_backend_pid()"));
                      return 0;
                    }));
    killer.join();
    assertTrue(failure.outcomeUnknown());
    assertEquals(1, runs.get());
  }

  private void terminateDuringCommit(int pid) {
    Wait.until(
        "the commit is under way",
        () ->
            count(
                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND pid = "
                        + pid)
                == 1);
    count("SELECT count(pg_terminate_backend(" + pid + "))");
  }

  private int count(String sql) {
    try {
      int count = query(other, sql);
      other.commit();
      return count;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void commit_that_a_constraint_refuses_has_certainly_changed_nothing() throws SQLException {
    execute(
        other,
        """
        CREATE TABLE transfer (
          account int REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED)
        """);
    other.commit();
    DatabaseFailure failure =
        assertThrows(
            DatabaseFailure.class,
            () ->
                transactions.run(
                    "dangling",
                    connection -> {
                      execute(connection, "INSERT INTO transfer VALUES (99)");
                      return 0;
                    }));
    assertEquals("23503", failure.sqlState());
  }

  /** B091: as when nothing was said for too long. */
  @Test
  void pool_recovers_when_all_its_connections_were_terminated() throws SQLException {
    transactions.run("warm", connection -> query(connection, "SELECT 1"));
    int terminated =
        query(
            other,
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE application_name = 'agentjournal' AND datname = current_database()
            """);
    assertTrue(terminated > 0);
    int after = transactions.run("after", connection -> query(connection, "SELECT 1"));
    assertEquals(1, after);
  }
}

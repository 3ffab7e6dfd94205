package io.agentjournal.turn;

import io.agentjournal.database.Work;
import io.agentjournal.segment.StreamHeads;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.submission.SubmissionStores;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Trial;
import io.agentjournal.testing.Wait;
import io.agentjournal.transcript.SessionRows;
import io.agentjournal.transcript.TranscriptStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Two transactions in a known order: the first does its work on a connection of the test's and
 * stays open; the second is a call to the server, which must wait for the first; then the first
 * commits.
 */
final class Race implements AutoCloseable {
  private static final Executor NEW_THREAD = task -> new Thread(task, "race").start();

  private final Connection first;
  private final Connection observer;
  private final int pid;
  private final SubmissionStores submissions;
  private final TurnStores turns;

  Race(Trial trial) throws SQLException {
    SessionRows sessions = new SessionRows();
    TranscriptStore transcript = new TranscriptStore(sessions);
    SlotRows slots = new SlotRows();
    StreamHeads streams = new StreamHeads();
    this.submissions = new SubmissionStores(sessions, transcript, slots, streams);
    this.turns = new TurnStores(submissions, sessions, transcript, slots, streams);
    this.first = TestPostgres.connect(trial.stored.database());
    this.observer = TestPostgres.connect(trial.stored.database());
    first.setAutoCommit(false);
    this.pid = pid(first);
  }

  SubmissionStores submissions() {
    return submissions;
  }

  TurnStores turns() {
    return turns;
  }

  /** Does the first one's work and leaves its transaction open. */
  <T> T first(Work<T> work) throws SQLException {
    return work.on(first);
  }

  /**
   * Makes the call, sees it wait for the first transaction, commits that one and answers what the
   * call answers.
   */
  <T> T second(Supplier<T> call) throws Exception {
    return second(call, tx -> true);
  }

  /** As {@link #second(Supplier)}, and the first one does this too, while the second waits. */
  <T> T second(Supplier<T> call, Work<?> meanwhile) throws Exception {
    CompletableFuture<T> answer = CompletableFuture.supplyAsync(call, NEW_THREAD);
    Wait.until("the call waits for the open transaction", () -> isBlocking() || answer.isDone());
    if (answer.isDone()) {
      throw new AssertionError("the call did not wait: " + answer);
    }
    meanwhile.on(first);
    first.commit();
    return get(answer);
  }

  /**
   * As {@link #second(Supplier)}, for a call that does not wait for locks but looks again until the
   * row is free.
   */
  <T> T secondThatLooksAgain(Supplier<T> call) throws Exception {
    CompletableFuture<T> answer = CompletableFuture.supplyAsync(call, NEW_THREAD);
    try {
      answer.get(200, TimeUnit.MILLISECONDS);
      throw new AssertionError("the call did not wait: " + answer);
    } catch (TimeoutException expected) {
      first.commit();
    }
    return get(answer);
  }

  private static <T> T get(CompletableFuture<T> answer) throws Exception {
    try {
      return answer.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException refusal) {
        throw refusal;
      }
      throw e;
    }
  }

  private boolean isBlocking() {
    try (PreparedStatement statement =
        observer.prepareStatement(
            "SELECT count(*) FROM pg_stat_activity WHERE ? = ANY (pg_blocking_pids(pid))")) {
      statement.setInt(1, pid);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt(1) > 0;
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static int pid(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("SELECT pg_backend_pid()");
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getInt(1);
    }
  }

  @Override
  public void close() throws SQLException {
    first.close();
    observer.close();
  }
}

package io.agentjournal.run;

import io.agentjournal.database.DatabaseFailure;
import io.agentjournal.database.Transactions;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.run.AppendOutcome.Busy;
import io.agentjournal.run.AppendOutcome.Done;
import io.agentjournal.run.AppendOutcome.Refused;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * One thread that commits what waits, as much as there is, in one transaction after the other:
 * batches grow with the load, and a lone append waits for nothing but its commit.
 *
 * <p>What an append meets is its own affair. One whose run somebody else has locked goes on alone,
 * in the blocking pool. When the database refuses a batch for its data, the halves are tried
 * separately, until the one that is at fault is alone.
 */
final class AppendLane implements AutoCloseable {
  private static final long CLOSE_MILLIS = 10_000;

  private final Transactions transactions;
  private final BlockingPool pool;
  private final int maxAppends;
  private final AppendStore transaction = new AppendStore();
  private final BlockingQueue<Waiting> queue = new LinkedBlockingQueue<>();
  private final Thread thread;

  /** What the queue holds. */
  private sealed interface Waiting {}

  private record Next(WaitingAppend append) implements Waiting {}

  private record End() implements Waiting {}

  /**
   * Starts the thread.
   *
   * @param maxAppends in one transaction
   */
  AppendLane(String name, Transactions transactions, BlockingPool pool, int maxAppends) {
    this.transactions = transactions;
    this.pool = pool;
    this.maxAppends = maxAppends;
    this.thread = new Thread(this::commitAll, name);
    thread.start();
  }

  /** Never blocks. */
  void add(WaitingAppend waiting) {
    queue.add(new Next(waiting));
  }

  private void commitAll() {
    AppendBatch batch = new AppendBatch(maxAppends);
    boolean ended = false;
    while (!ended || !batch.isEmpty()) {
      ended |= fill(batch);
      commit(batch.taken());
      batch = batch.next();
    }
  }

  /** Waits only while the batch is empty. True: nothing comes after it. */
  private boolean fill(AppendBatch batch) {
    try {
      Waiting waiting = batch.isEmpty() ? queue.take() : queue.poll();
      while (waiting instanceof Next next) {
        batch.add(next.append());
        waiting = batch.isFull() ? null : queue.poll();
      }
      return waiting instanceof End;
    } catch (InterruptedException e) {
      return true;
    }
  }

  private void commit(List<WaitingAppend> batch) {
    if (batch.isEmpty()) {
      return;
    }
    if (maxAppends == 1) {
      batch.forEach(this::commitAlone);
      return;
    }
    List<AppendOutcome> outcomes;
    try {
      List<RunAppend> appends = batch.stream().map(WaitingAppend::append).toList();
      outcomes =
          transactions.run(
              "append_events", connection -> transaction.together(connection, appends));
    } catch (DatabaseFailure e) {
      commitHalves(batch, e);
      return;
    } catch (RuntimeException | Error e) {
      batch.forEach(waiting -> waiting.failed(e));
      return;
    }
    for (int i = 0; i < batch.size(); i++) {
      answer(batch.get(i), outcomes.get(i));
    }
  }

  private void commitHalves(List<WaitingAppend> batch, DatabaseFailure failure) {
    if (batch.size() == 1) {
      batch.get(0).failed(failure);
      return;
    }
    int middle = batch.size() / 2;
    commit(batch.subList(0, middle));
    commit(batch.subList(middle, batch.size()));
  }

  private void answer(WaitingAppend waiting, @Nullable AppendOutcome outcome) {
    if (outcome instanceof Done done) {
      waiting.appended(done.appended());
    } else if (outcome instanceof Refused refused) {
      waiting.failed(refused.refusal());
    } else if (outcome instanceof Busy) {
      goOnAlone(waiting);
    }
  }

  private void goOnAlone(WaitingAppend waiting) {
    try {
      pool.execute(() -> commitAlone(waiting));
    } catch (RuntimeException e) {
      waiting.failed(e);
    }
  }

  private void commitAlone(WaitingAppend waiting) {
    try {
      AppendOutcome outcome =
          transactions.run(
              "append_events_alone", connection -> transaction.alone(connection, waiting.append()));
      answer(waiting, outcome);
    } catch (RuntimeException | Error e) {
      waiting.failed(e);
    }
  }

  /** Nothing may be added any more. What waits is committed first. */
  @Override
  public void close() {
    queue.add(new End());
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.agentjournal.run;

import io.agentjournal.database.Transactions;
import io.agentjournal.refusal.Refusal.Overloaded;
import io.agentjournal.rpc.AppendMemory;
import io.agentjournal.rpc.BlockingPool;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Group commit of appends: those of one run always take the same lane, so that no two transactions
 * of this server want the same run. Thread-safe.
 */
public final class AppendLanes implements AutoCloseable {
  /** Of appends on their way to a commit, in all lanes, unless it is said otherwise. */
  public static final long MAX_WAITING_BYTES = 128L << 20;

  private final AppendMemory memory;
  private final List<AppendLane> lanes;

  /**
   * Starts one thread for each lane.
   *
   * @param maxAppends in one commit; 1 makes each a transaction of its own run, as a distributed
   *     PostgreSQL likes it
   * @param maxWaitingBytes more are refused, or wait with their callers
   */
  public AppendLanes(
      Transactions transactions,
      BlockingPool pool,
      int laneCount,
      int maxAppends,
      long maxWaitingBytes) {
    this.memory = new AppendMemory(maxWaitingBytes);
    this.lanes =
        IntStream.range(0, laneCount)
            .mapToObj(
                number -> new AppendLane("run-lane-" + number, transactions, pool, maxAppends))
            .toList();
  }

  /**
   * Never blocks. The answer comes after the commit.
   *
   * @throws Overloaded as much waits as may; nothing of this append is stored
   */
  void append(RunAppend append, AppendAnswer answer) {
    long size = append.sizeBytes();
    if (!memory.tryTake(size)) {
      throw new Overloaded("append_bytes");
    }
    appendTaken(append, new Releasing(answer, size));
  }

  /** As {@link #append}, for a caller who keeps the account of {@link #memory} itself. */
  void appendTaken(RunAppend append, AppendAnswer answer) {
    lanes
        .get(Math.floorMod(append.run().hashCode(), lanes.size()))
        .add(new WaitingAppend(append, answer));
  }

  /** What all appends together hold. */
  AppendMemory memory() {
    return memory;
  }

  /** Gives the bytes free before it tells. */
  private final class Releasing implements AppendAnswer {
    private final AppendAnswer answer;
    private final long size;

    Releasing(AppendAnswer answer, long size) {
      this.answer = answer;
      this.size = size;
    }

    @Override
    public void appended(Appended appended) {
      memory.give(size);
      answer.appended(appended);
    }

    @Override
    public void failed(Throwable failure) {
      memory.give(size);
      answer.failed(failure);
    }
  }

  @Override
  public void close() {
    lanes.forEach(AppendLane::close);
  }
}

package io.agentjournal.segment;

import io.agentjournal.database.Transactions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * All lanes of a server. They share one queue and take turns, so that flushes are few and large;
 * where each bucket is a transaction of its own, each lane has a queue and buckets of its own, so
 * that no two of them ever write one bucket.
 */
public final class Lanes implements AutoCloseable {
  private final List<LaneQueue> queues = new ArrayList<>();
  private final List<Lane> lanes = new ArrayList<>();

  /**
   * @param perBucket one transaction for each bucket, for a distributed PostgreSQL
   */
  public Lanes(
      Transactions transactions,
      AppendLimits limits,
      int count,
      boolean perBucket,
      StreamChanges changes) {
    LaneFlushes flushes = new LaneFlushes(transactions, limits.maxStreamBytes(), perBucket);
    StreamIds ids = new StreamIds();
    LaneQueue shared = new LaneQueue();
    Semaphore turns = new Semaphore(1);
    CommitPace pace = new CommitPace();
    for (int number = 0; number < count; number++) {
      LaneQueue queue = perBucket ? new LaneQueue() : shared;
      queues.add(queue);
      lanes.add(
          new Lane(
              "lane-" + number,
              queue,
              new FlushTurn(perBucket ? new Semaphore(1) : turns, queue, pace, System::nanoTime),
              flushes,
              ids,
              changes));
    }
  }

  void submit(Batch batch) {
    queues.get(batch.stream().bucket() % queues.size()).add(batch);
  }

  @Override
  public void close() {
    queues.forEach(LaneQueue::close);
    lanes.forEach(Lane::close);
  }
}

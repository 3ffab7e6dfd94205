package io.agentjournal.segment;

import io.agentjournal.database.Transactions;
import java.util.List;
import java.util.stream.IntStream;

/** All lanes of a server. Each owns its buckets, so that no two of them ever write one stream. */
public final class Lanes implements AutoCloseable {
  private final List<Lane> lanes;

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
    this.lanes =
        IntStream.range(0, count)
            .mapToObj(number -> new Lane("lane-" + number, flushes, changes))
            .toList();
  }

  void submit(Batch batch) {
    lanes.get(batch.stream().bucket() % lanes.size()).submit(batch);
  }

  @Override
  public void close() {
    lanes.forEach(Lane::close);
  }
}

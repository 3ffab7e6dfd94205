package io.agentjournal.segment;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.StreamKey;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * How a lane's batches are divided into transactions: all in one, or, on a distributed PostgreSQL,
 * one for each bucket, which is then a transaction of a single node.
 */
final class LaneFlushes {
  private final List<FlushStore> ofBuckets;
  private final FlushStore ofAll;
  private final boolean perBucket;

  LaneFlushes(Transactions transactions, long maxStreamBytes, boolean perBucket) {
    this.perBucket = perBucket;
    this.ofAll = new FlushStore(transactions, maxStreamBytes, OptionalInt.empty());
    this.ofBuckets =
        IntStream.range(0, StreamKey.BUCKETS)
            .mapToObj(b -> new FlushStore(transactions, maxStreamBytes, OptionalInt.of(b)))
            .toList();
  }

  Collection<Map<StreamKey, List<Batch>>> split(Map<StreamKey, List<Batch>> round) {
    if (!perBucket) {
      return List.of(round);
    }
    Map<Integer, Map<StreamKey, List<Batch>>> parts = new LinkedHashMap<>();
    round.forEach(
        (key, batches) ->
            parts.computeIfAbsent(key.bucket(), b -> new LinkedHashMap<>()).put(key, batches));
    return parts.values();
  }

  /** For one of the parts. */
  FlushStore storeFor(Map<StreamKey, List<Batch>> part) {
    return perBucket ? ofBuckets.get(part.keySet().iterator().next().bucket()) : ofAll;
  }
}

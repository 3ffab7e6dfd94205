package io.agentjournal.segment;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.CorruptExtent;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The group commit: one transaction for the batches of many streams.
 *
 * <ol>
 *   <li>find the ids of keys that the lane does not know yet;
 *   <li>lock the heads in the order of their ids, passing over those that are locked;
 *   <li>decide, under the locks and in the program, what each batch is ({@link HeadDecision});
 *   <li>advance the heads, create the streams that are new, insert the extents.
 * </ol>
 *
 * Thread-safe; blocks for as long as PostgreSQL takes.
 */
final class FlushStore {
  private static final Comparator<StreamKey> CREATION_ORDER =
      Comparator.comparingInt(StreamKey::bucket)
          .thenComparing(key -> key.namespace().name())
          .thenComparing(StreamKey::key);

  private final Transactions transactions;
  private final long maxStreamBytes;
  private final FlushRows rows;
  private final ExtentRows extentRows = new ExtentRows();
  private final GrownStreamRows grownRows = new GrownStreamRows();
  private final boolean inOneStatement;

  /** Over streams of all buckets, or of the one bucket that is named. */
  FlushStore(Transactions transactions, long maxStreamBytes, OptionalInt bucket) {
    this.transactions = transactions;
    this.maxStreamBytes = maxStreamBytes;
    this.rows = new FlushRows(bucket);
    this.inOneStatement = bucket.isEmpty();
  }

  /**
   * @param knownIds of the streams that were met before
   * @param written run when all statements are carried out and the commit is what is left
   */
  Flush flush(Map<StreamKey, List<Batch>> batches, StreamIds knownIds, Runnable written) {
    return transactions.run(
        "flush",
        connection -> {
          Flush flush = flush(connection, batches, knownIds);
          written.run();
          return flush;
        });
  }

  private Flush flush(
      Connection connection, Map<StreamKey, List<Batch>> batches, StreamIds knownIds)
      throws SQLException {
    Map<StreamKey, Long> ids = ids(connection, batches, knownIds);
    Map<Long, Head> heads = ids.isEmpty() ? Map.of() : rows.lock(connection, ids.values());
    Map<StreamKey, List<Batch>> skipped = new LinkedHashMap<>();
    List<StreamFlush> judged = new ArrayList<>();
    for (Map.Entry<StreamKey, List<Batch>> entry : batches.entrySet()) {
      StreamKey key = entry.getKey();
      Long id = ids.get(key);
      Head head = id == null ? HeadDecision.unopened() : heads.get(id);
      if (head == null) {
        skipped.put(key, entry.getValue());
        continue;
      }
      StreamFlush stream = new StreamFlush(key, head, id != null, maxStreamBytes);
      for (Batch batch : entry.getValue()) {
        judge(connection, stream, head, batch);
      }
      judged.add(stream);
    }
    write(connection, judged, skipped);
    return new Flush(judged.stream().map(StreamFlush::flushed).toList(), skipped);
  }

  private Map<StreamKey, Long> ids(
      Connection connection, Map<StreamKey, List<Batch>> batches, StreamIds knownIds)
      throws SQLException {
    Map<StreamKey, Long> ids = new LinkedHashMap<>();
    List<StreamKey> unknown = new ArrayList<>();
    for (StreamKey key : batches.keySet()) {
      Long id = knownIds.get(key);
      if (id == null) {
        unknown.add(key);
      } else {
        ids.put(key, id);
      }
    }
    if (!unknown.isEmpty()) {
      ids.putAll(rows.resolve(connection, unknown));
    }
    return ids;
  }

  /** One stream's corrupt extent must not fail the others. */
  private void judge(Connection connection, StreamFlush stream, Head locked, Batch batch)
      throws SQLException {
    PackedSegments stored;
    try {
      stored = stored(connection, stream.key(), locked, batch);
    } catch (CorruptExtent e) {
      stream.refuse(batch, e);
      return;
    }
    stream.judge(batch, stored);
  }

  private @Nullable PackedSegments stored(
      Connection connection, StreamKey key, Head locked, Batch batch) throws SQLException {
    if (batch.segments().count() == 0
        || batch.firstIndex() >= locked.nextIndex()
        || locked.state() == StreamState.DELETED) {
      return null;
    }
    long to = Math.min(locked.nextIndex(), batch.nextIndex());
    return extentRows.stored(connection, key, locked, batch.firstIndex(), to);
  }

  private void write(
      Connection connection, List<StreamFlush> judged, Map<StreamKey, List<Batch>> skipped)
      throws SQLException {
    create(connection, judged, skipped);
    List<Head> advanced = new ArrayList<>();
    List<Extent> extents = new ArrayList<>();
    List<Integer> buckets = new ArrayList<>();
    for (StreamFlush stream : judged) {
      if (stream.advances()) {
        advanced.add(stream.head());
      }
      if (stream.changesStateOrEpoch()) {
        rows.change(connection, stream.key(), stream.head(), stream.ends());
      }
      if (stream.raisesEpoch()) {
        rows.notice(connection, stream.key(), stream.head());
      }
      for (Extent extent : stream.extents()) {
        extents.add(extent);
        buckets.add(stream.key().bucket());
      }
    }
    if (inOneStatement && !advanced.isEmpty()) {
      grownRows.write(connection, advanced, buckets, extents);
      return;
    }
    if (!advanced.isEmpty()) {
      rows.advance(connection, advanced);
    }
    if (!extents.isEmpty()) {
      extentRows.insert(connection, buckets, extents);
    }
  }

  /**
   * In one order on every server, so that two that create the same streams wait and do not
   * deadlock.
   */
  private void create(
      Connection connection, List<StreamFlush> judged, Map<StreamKey, List<Batch>> skipped)
      throws SQLException {
    List<StreamFlush> created = new ArrayList<>();
    for (StreamFlush stream : judged) {
      if (stream.isToBeCreated()) {
        created.add(stream);
      }
    }
    created.sort(Comparator.comparing(StreamFlush::key, CREATION_ORDER));
    for (StreamFlush stream : created) {
      Head head = rows.create(connection, stream.key(), stream.contentType(), stream.head());
      if (head == null) {
        judged.remove(stream);
        skipped.put(stream.key(), stream.batches());
      } else {
        stream.created(head);
      }
    }
  }
}

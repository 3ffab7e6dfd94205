package io.agentjournal.segment;

import io.agentjournal.background.PausingThread;
import io.agentjournal.database.DatabaseUnavailable;
import io.agentjournal.database.Transactions;
import io.agentjournal.key.StreamKey;
import io.agentjournal.segment.CompactionStore.Compacted;
import io.agentjournal.segment.CompactionStore.Looked;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings streams that have ended into their form at rest, bucket after bucket, on a thread that
 * works for a share of its time only: after each transaction it rests in proportion to what that
 * took, so that the busier the database is, the less it asks of it. Every server does it; one that
 * meets a stream that another is at passes it over. Starts when it is made.
 */
public final class StreamCompaction implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StreamCompaction.class);

  /** After each round through all buckets: a part of the age, within these. */
  private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /**
   * How much longer than after work it rests after looks that found nothing. With a tenth of its
   * time for work, looking at ten thousand open streams takes half a percent, and no more.
   */
  private static final int RESTS_PER_LOOK = 20;

  private static final Duration LONGEST_PAUSE_FOR_LOOKS = Duration.ofMinutes(1);

  private static final Duration WITHOUT_DATABASE = Duration.ofSeconds(5);
  private static final long REPORT_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final CompactionStore store;
  private final Duration age;
  private final Duration pause;
  private final int percent;
  private final PausingThread thread = new PausingThread("stream-compaction", this::run);

  // --- Only the thread uses what follows.

  /** Streams that could not be compacted: told once. */
  private final Set<Long> leftAlone = new HashSet<>();

  private int bucket = ThreadLocalRandom.current().nextInt(StreamKey.BUCKETS);
  private long after;
  private int bucketsInRound;
  private long lookedNanos;
  private boolean failing;
  private long streams;
  private long segments;
  private long rowsBefore;
  private long rowsAfter;
  private long bytesAfter;
  private long reportedAtNanos = System.nanoTime();

  /**
   * @param age how long ago a stream must have ended
   * @param percent of the thread's time that it may work, 1 to 100
   */
  public StreamCompaction(Transactions transactions, Duration age, int percent) {
    this.store = new CompactionStore(transactions);
    this.age = age;
    this.pause = longer(SHORTEST_PAUSE, shorter(LONGEST_PAUSE, age.dividedBy(6)));
    this.percent = percent;
    thread.start();
  }

  private void run() throws InterruptedException {
    while (!thread.isClosed()) {
      step();
      report();
    }
  }

  private void step() throws InterruptedException {
    try {
      lookAtSome();
      failing = false;
      if (bucketsInRound >= StreamKey.BUCKETS) {
        Duration forLooks =
            shorter(restFor(lookedNanos).multipliedBy(RESTS_PER_LOOK), LONGEST_PAUSE_FOR_LOOKS);
        bucketsInRound = 0;
        lookedNanos = 0;
        thread.pause(longer(pause, forLooks));
      }
    } catch (DatabaseUnavailable e) {
      if (!failing) {
        LOG.warn("Streams are compacted when the database is back: {}", e.getMessage());
      }
      failing = true;
      thread.pause(WITHOUT_DATABASE);
    } catch (RuntimeException e) {
      LOG.error("Compacting streams of bucket {} failed", bucket, e);
      nextBucket();
      thread.pause(WITHOUT_DATABASE);
    }
  }

  private void lookAtSome() throws InterruptedException {
    int inBucket = bucket;
    long began = System.nanoTime();
    Looked looked = store.look(inBucket, after, age);
    lookedNanos += System.nanoTime() - began;
    rest(began);
    if (looked.last() == null) {
      nextBucket();
    } else {
      after = looked.last();
    }
    for (long streamId : looked.ripe()) {
      if (!leftAlone.contains(streamId) && !thread.isClosed()) {
        compact(inBucket, streamId);
      }
    }
  }

  private void nextBucket() {
    bucket = (bucket + 1) % StreamKey.BUCKETS;
    bucketsInRound++;
    after = 0;
  }

  private void compact(int inBucket, long streamId) throws InterruptedException {
    boolean done = false;
    while (!done && !thread.isClosed()) {
      long began = System.nanoTime();
      try {
        Compacted compacted = store.compact(inBucket, streamId);
        count(compacted);
        done = compacted.isDone();
      } catch (DatabaseUnavailable e) {
        throw e;
      } catch (RuntimeException e) {
        // It must not keep the others from it.
        LOG.error("The stream with the id {} is left as it is", streamId, e);
        leftAlone.add(streamId);
        done = true;
      }
      rest(began);
    }
  }

  private void count(Compacted compacted) {
    if (compacted.segments() > 0) {
      streams += compacted.isDone() ? 1 : 0;
      segments += compacted.segments();
      rowsBefore += compacted.rowsBefore();
      rowsAfter += compacted.rowsAfter();
      bytesAfter += compacted.bytesAfter();
    }
  }

  private void report() {
    if (segments > 0 && System.nanoTime() - reportedAtNanos >= REPORT_NANOS) {
      LOG.info(
          "Compacted {} segments of {} streams: {} rows became {} with {} bytes",
          segments,
          streams,
          rowsBefore,
          rowsAfter,
          bytesAfter);
      streams = 0;
      segments = 0;
      rowsBefore = 0;
      rowsAfter = 0;
      bytesAfter = 0;
      reportedAtNanos = System.nanoTime();
    }
  }

  private void rest(long workedSinceNanos) throws InterruptedException {
    thread.pause(restFor(System.nanoTime() - workedSinceNanos));
  }

  private Duration restFor(long workedNanos) {
    return Duration.ofNanos(workedNanos * (100 - percent) / percent);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  /** Waits for the transaction that is under way. */
  @Override
  public void close() {
    thread.close();
  }
}

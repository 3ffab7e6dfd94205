package io.agentjournal.it.benchmark;

import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Streams that are written at a pace, with one follower each, here or at another server. */
final class FollowedLoad {
  private static final int STREAMS = 50;
  private static final int PER_SECOND = 2000;

  /** What the first segments of a stream take is not what all take: a second's are not counted. */
  private static final Duration SETTLING = Duration.ofSeconds(1);

  private static final int FIRST_COUNTED = PER_SECOND / STREAMS * (int) SETTLING.toSeconds();

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final Connections writers;
  private final Connections followers;

  FollowedLoad(Connections writers, Connections followers) {
    this.writers = writers;
    this.followers = followers;
  }

  /**
   * From when the writer knows that a segment is committed until the follower has it. A follower
   * that has it first has not waited. Blocks.
   */
  Latencies latencies(Duration time) throws IOException {
    Duration all = time.plus(SETTLING);
    int most = (int) (PER_SECOND / STREAMS * all.toSeconds()) + 1;
    String keyPrefix = Journal.newKeyPrefix();
    AtomicLong seen = new AtomicLong();
    AtomicLong acknowledged = new AtomicLong();
    List<AtomicLongArray> acknowledgedAt = new ArrayList<>();
    List<Follower> following = new ArrayList<>();
    for (int stream = 0; stream < STREAMS; stream++) {
      acknowledgedAt.add(new AtomicLongArray(most));
      Follower follower = new Follower(most, seen);
      SegmentServiceGrpc.newStub(followers.of(stream))
          .readSegments(
              ReadSegmentsRequest.newBuilder()
                  .setStreamKey(keyPrefix + stream)
                  .setStartIndex(0)
                  .setFollow(true)
                  .setWaitForStream(true)
                  .build(),
              follower);
      following.add(follower);
    }
    new PacedLoad(writers, keyPrefix, STREAMS, PER_SECOND)
        .write(
            all,
            (stream, index, due, now) -> {
              acknowledgedAt.get(stream).set((int) index, now);
              acknowledged.incrementAndGet();
            });
    await(seen, acknowledged.get());
    Latencies latencies = new Latencies();
    for (int stream = 0; stream < STREAMS; stream++) {
      following.get(stream).cancel();
      for (int index = FIRST_COUNTED;
          index < most && acknowledgedAt.get(stream).get(index) != 0;
          index++) {
        latencies.add(following.get(stream).seenAt(index) - acknowledgedAt.get(stream).get(index));
      }
    }
    return latencies;
  }

  private static void await(AtomicLong seen, long all) throws IOException {
    long start = System.nanoTime();
    while (seen.get() < all) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new IOException("followers have %d of %d segments".formatted(seen.get(), all));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private static final class Follower
      implements ClientResponseObserver<ReadSegmentsRequest, ReadSegmentsResponse> {
    private final AtomicLongArray seenAt;
    private final AtomicLong seen;
    private @Nullable ClientCallStreamObserver<ReadSegmentsRequest> call;

    Follower(int most, AtomicLong seen) {
      this.seenAt = new AtomicLongArray(most);
      this.seen = seen;
    }

    long seenAt(int index) {
      return seenAt.get(index);
    }

    void cancel() {
      if (call != null) {
        call.cancel("it has seen all", null);
      }
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<ReadSegmentsRequest> started) {
      call = started;
    }

    @Override
    public void onNext(ReadSegmentsResponse answer) {
      long now = System.nanoTime();
      int first = (int) answer.getRun().getFirstIndex();
      for (int i = 0; i < answer.getRun().getSegmentsCount(); i++) {
        seenAt.set(first + i, now);
        seen.incrementAndGet();
      }
    }

    /** Cancelled; or else the segments that it has not seen are missed. */
    @Override
    public void onError(Throwable ended) {}

    @Override
    public void onCompleted() {}
  }
}

package io.agentjournal.it.benchmark;

import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.Iterator;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.LongAdder;

/** Streams of a million segments that are read back, and a short one beside them. */
final class ReadLoad {
  private static final int LONG_STREAMS = 4;
  private static final long LONG = 1_000_000;
  private static final long SHORT = 1000;
  private static final long LAST = 100;
  private static final int READS = 100;

  private final Journal journal;
  private final String keyPrefix = Journal.newKeyPrefix();

  /** Writes them. Blocks. */
  ReadLoad(Journal journal) {
    this.journal = journal;
    ExactLoad.write(journal.connections(), longKey(""), LONG_STREAMS, LONG);
    ExactLoad.write(journal.connections(), shortKey(""), 1, SHORT);
  }

  private String longKey(String number) {
    return keyPrefix + "long-" + number;
  }

  private String shortKey(String number) {
    return keyPrefix + "short-" + number;
  }

  /** All of the long streams at once, from end to end. Blocks. */
  double segmentsPerSecond() throws IOException {
    Phaser running = new Phaser(1);
    LongAdder segments = new LongAdder();
    long start = System.nanoTime();
    for (int number = 0; number < LONG_STREAMS; number++) {
      running.register();
      SegmentServiceGrpc.newStub(journal.connections().of(number))
          .readSegments(
              ReadSegmentsRequest.newBuilder().setStreamKey(longKey("" + number)).build(),
              new Reader(segments, running));
    }
    running.arriveAndAwaitAdvance();
    double seconds = (System.nanoTime() - start) / 1e9;
    if (segments.sum() != LONG_STREAMS * LONG) {
      throw new IOException(segments.sum() + " segments were read");
    }
    return segments.sum() / seconds;
  }

  private record Reader(LongAdder segments, Phaser running)
      implements StreamObserver<ReadSegmentsResponse> {
    @Override
    public void onNext(ReadSegmentsResponse answer) {
      segments.add(answer.getRun().getSegmentsCount());
    }

    @Override
    public void onError(Throwable failure) {
      System.err.println(failure);
      running.arriveAndDeregister();
    }

    @Override
    public void onCompleted() {
      running.arriveAndDeregister();
    }
  }

  double firstOfLastMillisOfLong() {
    return firstOfLastMillis(longKey("0"));
  }

  double firstOfLastMillisOfShort() {
    return firstOfLastMillis(shortKey("0"));
  }

  /** The median time to the first message of the stream's last segments. */
  private double firstOfLastMillis(String streamKey) {
    Latencies latencies = new Latencies();
    for (int read = 0; read < READS; read++) {
      long start = System.nanoTime();
      Iterator<ReadSegmentsResponse> answers =
          SegmentServiceGrpc.newBlockingStub(journal.connections().of(read))
              .readSegments(
                  ReadSegmentsRequest.newBuilder().setStreamKey(streamKey).setLast(LAST).build());
      var unused = answers.next();
      latencies.add(System.nanoTime() - start);
      while (answers.hasNext()) {
        unused = answers.next();
      }
    }
    return latencies.millis(0.5);
  }
}

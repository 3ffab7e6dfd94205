package io.agentjournal.it.benchmark;

import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Phaser;

/** Streams with as many segments as are asked for, written as fast as flow control lets it. */
final class ExactLoad {
  private static final int PER_MESSAGE = 64;

  private static final List<Segment> SEGMENTS =
      Collections.nCopies(PER_MESSAGE, SegmentLoad.SEGMENT);

  private ExactLoad() {}

  /** Writes streams that are named by the prefix and a number. Blocks until all is stored. */
  static void write(Connections connections, String keyPrefix, int streams, long segments) {
    Phaser running = new Phaser(1);
    for (int number = 0; number < streams; number++) {
      running.register();
      var unused =
          SegmentServiceGrpc.newStub(connections.of(number))
              .appendSegments(new Writer(keyPrefix + number, segments, running));
    }
    running.arriveAndAwaitAdvance();
  }

  private static final class Writer
      implements ClientResponseObserver<AppendSegmentsRequest, AppendSegmentsResponse> {
    private final String streamKey;
    private final long segments;
    private final Phaser running;
    private long nextIndex;
    private boolean ended;

    Writer(String streamKey, long segments, Phaser running) {
      this.streamKey = streamKey;
      this.segments = segments;
      this.running = running;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<AppendSegmentsRequest> started) {
      started.setOnReadyHandler(() -> send(started));
    }

    private void send(ClientCallStreamObserver<AppendSegmentsRequest> ready) {
      while (!ended && ready.isReady()) {
        AppendSegmentsRequest.Builder message = AppendSegmentsRequest.newBuilder();
        if (nextIndex == 0) {
          message.setOpen(StreamOpen.newBuilder().setStreamKey(streamKey));
        }
        int count = (int) Math.min(PER_MESSAGE, segments - nextIndex);
        ready.onNext(
            message.setFirstIndex(nextIndex).addAllSegments(SEGMENTS.subList(0, count)).build());
        nextIndex += count;
        if (nextIndex >= segments) {
          ended = true;
          ready.onCompleted();
        }
      }
    }

    @Override
    public void onNext(AppendSegmentsResponse answer) {}

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
}

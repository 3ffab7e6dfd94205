package io.agentjournal.it.benchmark;

import com.google.protobuf.ByteString;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.PutSegmentsResponse;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc.SegmentServiceStub;
import io.agentjournal.v1.StreamOpen;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Phaser;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writers of streams, each with its own stream and segments of 24 bytes, that write for a time, or
 * as much as is asked for, through gRPC. What they have stored is for somebody else to count.
 */
final class SegmentLoad {
  static final String TOKEN = "a token of 24 characters";

  /** Encoded once, as those of the other clients are. */
  static final Segment SEGMENT =
      Segment.newBuilder().setTextBytes(ByteString.copyFromUtf8(TOKEN)).build();

  private final Connections connections;
  private final @Nullable Supplier<Segment> tokens;

  SegmentLoad(Connections connections) {
    this(connections, null);
  }

  /**
   * @param tokens makes each segment, on the threads of the connections; null: all are alike
   */
  SegmentLoad(Connections connections, @Nullable Supplier<Segment> tokens) {
    this.connections = connections;
    this.tokens = tokens;
  }

  /** How a writer sends. */
  enum Sending {
    /** AppendSegments, as fast as flow control lets it. */
    STREAMED,
    /** AppendSession, one segment when the one before is acknowledged. */
    ACKNOWLEDGED,
    /** PutSegments, one segment when the one before is answered. */
    UNARY
  }

  /** When a writer ends: at a time, or with so many segments. */
  private record Limit(long endNanos, long segments) {
    static Limit after(Duration time) {
      return new Limit(System.nanoTime() + time.toNanos(), Long.MAX_VALUE);
    }

    static Limit with(long segments) {
      return new Limit(System.nanoTime() + Long.MAX_VALUE, segments);
    }

    boolean isReached(long nextIndex) {
      return nextIndex >= segments || System.nanoTime() - endNanos >= 0;
    }
  }

  /** Blocks until all that was sent is answered; returns the seconds that it took. */
  double write(
      Sending sending, String keyPrefix, int streams, int segmentsPerMessage, Duration time) {
    return write(sending, keyPrefix, streams, segmentsPerMessage, Limit.after(time));
  }

  /** As many segments in each stream, one a message. Blocks until all are answered. */
  void writeAsMany(Sending sending, String keyPrefix, int streams, long segments) {
    var unused = write(sending, keyPrefix, streams, 1, Limit.with(segments));
  }

  private double write(
      Sending sending, String keyPrefix, int streams, int segmentsPerMessage, Limit limit) {
    Phaser running = new Phaser(1);
    long start = System.nanoTime();
    Supplier<List<Segment>> segments = messages(segmentsPerMessage);
    for (int number = 0; number < streams; number++) {
      SegmentServiceStub stub = SegmentServiceGrpc.newStub(connections.of(number));
      StreamOpen open = StreamOpen.newBuilder().setStreamKey(keyPrefix + number).build();
      running.register();
      switch (sending) {
        case STREAMED -> {
          var unused = stub.appendSegments(new Streamed(open, segments, limit, running));
        }
        case ACKNOWLEDGED -> {
          var unused = stub.appendSession(new Acknowledged(open, segments, limit, running));
        }
        case UNARY -> new Unary(stub, open, segments, limit, running).put();
      }
    }
    running.arriveAndAwaitAdvance();
    return (System.nanoTime() - start) / 1e9;
  }

  private Supplier<List<Segment>> messages(int segmentsPerMessage) {
    Supplier<Segment> different = tokens;
    if (different != null) {
      return () -> Stream.generate(different).limit(segmentsPerMessage).toList();
    }
    List<Segment> alike = Collections.nCopies(segmentsPerMessage, SEGMENT);
    return () -> alike;
  }

  /** What all writers are: they end once. */
  private abstract static class Writer<T> implements StreamObserver<T> {
    private final StreamOpen open;
    private final Supplier<List<Segment>> segments;
    private final Limit limit;
    private final Phaser running;
    private long nextIndex;

    Writer(StreamOpen open, Supplier<List<Segment>> segments, Limit limit, Phaser running) {
      this.open = open;
      this.segments = segments;
      this.limit = limit;
      this.running = running;
    }

    boolean isOver() {
      return limit.isReached(nextIndex);
    }

    long nextIndex() {
      return nextIndex;
    }

    /** What is to be sent now. */
    List<Segment> take() {
      List<Segment> taken = segments.get();
      nextIndex += taken.size();
      return taken;
    }

    StreamOpen open() {
      return open;
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

  private static final class Streamed extends Writer<AppendSegmentsResponse>
      implements ClientResponseObserver<AppendSegmentsRequest, AppendSegmentsResponse> {
    private boolean ended;

    Streamed(StreamOpen open, Supplier<List<Segment>> segments, Limit limit, Phaser running) {
      super(open, segments, limit, running);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<AppendSegmentsRequest> started) {
      started.setOnReadyHandler(() -> send(started));
    }

    private void send(ClientCallStreamObserver<AppendSegmentsRequest> ready) {
      while (!ended && ready.isReady()) {
        if (isOver() && nextIndex() > 0) {
          ended = true;
          ready.onCompleted();
          return;
        }
        AppendSegmentsRequest.Builder message = AppendSegmentsRequest.newBuilder();
        if (nextIndex() == 0) {
          message.setOpen(open());
        }
        ready.onNext(message.setFirstIndex(nextIndex()).addAllSegments(take()).build());
      }
    }

    @Override
    public void onNext(AppendSegmentsResponse answer) {}
  }

  private static final class Acknowledged extends Writer<AppendSessionResponse>
      implements ClientResponseObserver<AppendSessionRequest, AppendSessionResponse> {
    private @Nullable ClientCallStreamObserver<AppendSessionRequest> call;

    Acknowledged(StreamOpen open, Supplier<List<Segment>> segments, Limit limit, Phaser running) {
      super(open, segments, limit, running);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<AppendSessionRequest> started) {
      call = started;
      // Once: it is ready as soon as it is started.
      started.setOnReadyHandler(
          () -> {
            if (nextIndex() == 0) {
              send(started);
            }
          });
    }

    private void send(ClientCallStreamObserver<AppendSessionRequest> ready) {
      AppendSessionRequest.Builder message = AppendSessionRequest.newBuilder();
      if (nextIndex() == 0) {
        message.setOpen(open());
      }
      ready.onNext(message.setFirstIndex(nextIndex()).addAllSegments(take()).build());
    }

    @Override
    public void onNext(AppendSessionResponse answer) {
      ClientCallStreamObserver<AppendSessionRequest> requests = call;
      if (requests == null || answer.getNextIndex() < nextIndex()) {
        return;
      }
      if (isOver()) {
        requests.onCompleted();
      } else {
        send(requests);
      }
    }
  }

  private static final class Unary extends Writer<PutSegmentsResponse> {
    private final SegmentServiceStub stub;

    Unary(
        SegmentServiceStub stub,
        StreamOpen open,
        Supplier<List<Segment>> segments,
        Limit limit,
        Phaser running) {
      super(open, segments, limit, running);
      this.stub = stub;
    }

    void put() {
      stub.putSegments(
          PutSegmentsRequest.newBuilder()
              .setOpen(open())
              .setFirstIndex(nextIndex())
              .addAllSegments(take())
              .build(),
          this);
    }

    @Override
    public void onNext(PutSegmentsResponse answer) {}

    @Override
    public void onCompleted() {
      if (isOver()) {
        super.onCompleted();
      } else {
        put();
      }
    }
  }
}

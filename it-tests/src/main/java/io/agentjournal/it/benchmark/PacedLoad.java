package io.agentjournal.it.benchmark;

import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writers that send each segment when it is due, as models do, whether or not those before it are
 * acknowledged: a server that is late is not spared what would have come meanwhile.
 */
final class PacedLoad {
  /** What the first segments of a stream take is not what all take. */
  private static final long SETTLING_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Connections connections;
  private final String keyPrefix;
  private final int streams;
  private final long periodNanos;

  /**
   * @param perSecond segments of all streams together
   */
  PacedLoad(Connections connections, String keyPrefix, int streams, int perSecond) {
    this.connections = connections;
    this.keyPrefix = keyPrefix;
    this.streams = streams;
    this.periodNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
  }

  /** Is told of each acknowledgement; of one stream on one thread. */
  interface Acknowledgements {
    void acknowledged(int stream, long index, long dueNanos, long nanos);
  }

  /** From when a segment is due until it is acknowledged. Blocks. */
  Latencies latencies(Duration time) {
    List<Latencies> ofStreams = new ArrayList<>();
    for (int stream = 0; stream < streams; stream++) {
      ofStreams.add(new Latencies());
    }
    long counted = System.nanoTime() + SETTLING_NANOS;
    write(
        time.plusNanos(SETTLING_NANOS),
        (stream, index, due, now) -> {
          if (due - counted >= 0) {
            ofStreams.get(stream).add(now - due);
          }
        });
    Latencies all = new Latencies();
    ofStreams.forEach(all::addAll);
    return all;
  }

  /** Blocks until everything is acknowledged. */
  void write(Duration time, Acknowledgements told) {
    Phaser running = new Phaser(1);
    long start = System.nanoTime();
    List<Writer> writers = new ArrayList<>();
    for (int stream = 0; stream < streams; stream++) {
      running.register();
      Writer writer = new Writer(stream, start, told, running);
      var unused = SegmentServiceGrpc.newStub(connections.of(stream)).appendSession(writer);
      writers.add(writer);
    }
    long number = 0;
    for (long due = start; due - start < time.toNanos(); due = start + number * periodNanos) {
      for (long early = due - System.nanoTime(); early > 0; early = due - System.nanoTime()) {
        LockSupport.parkNanos(early);
      }
      writers.get((int) (number % streams)).send();
      number++;
    }
    writers.forEach(Writer::end);
    running.arriveAndAwaitAdvance();
  }

  /** Sends on the thread that keeps the pace, hears on its connection's. */
  private final class Writer
      implements ClientResponseObserver<AppendSessionRequest, AppendSessionResponse> {
    private final int stream;
    private final long start;
    private final Acknowledgements told;
    private final Phaser running;
    private @Nullable ClientCallStreamObserver<AppendSessionRequest> call;
    private long sent;
    private long acknowledged;

    Writer(int stream, long start, Acknowledgements told, Phaser running) {
      this.stream = stream;
      this.start = start;
      this.told = told;
      this.running = running;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<AppendSessionRequest> started) {
      call = started;
    }

    private void send() {
      AppendSessionRequest.Builder message = AppendSessionRequest.newBuilder();
      if (sent == 0) {
        message.setOpen(StreamOpen.newBuilder().setStreamKey(keyPrefix + stream));
      }
      started().onNext(message.setFirstIndex(sent).addSegments(SegmentLoad.SEGMENT).build());
      sent++;
    }

    private void end() {
      started().onCompleted();
    }

    private ClientCallStreamObserver<AppendSessionRequest> started() {
      if (call == null) {
        throw new IllegalStateException("the call is not started");
      }
      return call;
    }

    @Override
    public void onNext(AppendSessionResponse answer) {
      long now = System.nanoTime();
      for (; acknowledged < answer.getNextIndex(); acknowledged++) {
        long due = start + (acknowledged * streams + stream) * periodNanos;
        told.acknowledged(stream, acknowledged, due, now);
      }
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
}

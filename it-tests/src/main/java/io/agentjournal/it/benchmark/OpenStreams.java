package io.agentjournal.it.benchmark;

import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Append calls that have stored one segment each and then say nothing. */
final class OpenStreams implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  private final List<StreamObserver<AppendSessionRequest>> calls = new ArrayList<>();

  private OpenStreams() {}

  /** Returns when all of them are acknowledged. */
  static OpenStreams open(Connections connections, int count)
      throws IOException, InterruptedException {
    OpenStreams streams = new OpenStreams();
    String keyPrefix = Journal.newKeyPrefix();
    CountDownLatch acknowledged = new CountDownLatch(count);
    for (int number = 0; number < count; number++) {
      StreamObserver<AppendSessionRequest> call =
          SegmentServiceGrpc.newStub(connections.of(number))
              .appendSession(new Acknowledgement(acknowledged));
      call.onNext(
          AppendSessionRequest.newBuilder()
              .setOpen(StreamOpen.newBuilder().setStreamKey(keyPrefix + number))
              .setFirstIndex(0)
              .addSegments(SegmentLoad.SEGMENT)
              .build());
      streams.calls.add(call);
    }
    if (!acknowledged.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException(acknowledged.getCount() + " streams were not opened");
    }
    return streams;
  }

  int count() {
    return calls.size();
  }

  private record Acknowledgement(CountDownLatch acknowledged)
      implements StreamObserver<AppendSessionResponse> {
    @Override
    public void onNext(AppendSessionResponse answer) {
      acknowledged.countDown();
    }

    @Override
    public void onError(Throwable failure) {
      if (acknowledged.getCount() > 0) {
        System.err.println(failure);
      }
    }

    @Override
    public void onCompleted() {}
  }

  @Override
  public void close() {
    calls.forEach(StreamObserver::onCompleted);
  }
}

package io.agentjournal.it.benchmark;

import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.List;

/**
 * Followers that take one message and no more, each with a connection of its own, so that nobody
 * else's messages are held up behind theirs.
 */
final class StoppedFollowers implements AutoCloseable {
  private static final int WINDOW_BYTES = 1 << 16;

  private final List<ManagedChannel> channels = new ArrayList<>();

  /** Of the streams that are named by the prefix and a number. */
  StoppedFollowers(String target, String keyPrefix, int count) {
    for (int number = 0; number < count; number++) {
      ManagedChannel channel =
          NettyChannelBuilder.forTarget(target)
              .usePlaintext()
              .flowControlWindow(WINDOW_BYTES)
              .directExecutor()
              .build();
      channels.add(channel);
      SegmentServiceGrpc.newStub(channel)
          .readSegments(
              ReadSegmentsRequest.newBuilder()
                  .setStreamKey(keyPrefix + number)
                  .setStartIndex(0)
                  .setFollow(true)
                  .setWaitForStream(true)
                  .build(),
              new TakesOne());
    }
  }

  int count() {
    return channels.size();
  }

  private static final class TakesOne
      implements ClientResponseObserver<ReadSegmentsRequest, ReadSegmentsResponse> {
    @Override
    public void beforeStart(ClientCallStreamObserver<ReadSegmentsRequest> started) {
      started.disableAutoRequestWithInitial(1);
    }

    @Override
    public void onNext(ReadSegmentsResponse answer) {}

    /** Its connection is shut down. */
    @Override
    public void onError(Throwable ended) {}

    @Override
    public void onCompleted() {}
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }
}

package io.agentjournal.client;

import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One ReadSegments call. Asks for the next message when one was taken, so that a slow reader stays
 * small.
 */
final class ReadCall implements ClientResponseObserver<ReadSegmentsRequest, ReadSegmentsResponse> {
  private static final int BUFFERED_MESSAGES = 2;

  private final LinkedBlockingQueue<ReadEvent> events = new LinkedBlockingQueue<>();
  private final long startedAt = System.nanoTime();
  private @Nullable ClientCallStreamObserver<ReadSegmentsRequest> requests;

  private ReadCall() {}

  /** A message, or how the call ended: one of the two. */
  record ReadEvent(@Nullable ReadSegmentsResponse message, @Nullable CallFailure end) {}

  static ReadCall start(Channel channel, ReadSegmentsRequest request, @Nullable Duration deadline) {
    ReadCall call = new ReadCall();
    SegmentServiceGrpc.SegmentServiceStub stub = SegmentServiceGrpc.newStub(channel);
    if (deadline != null) {
      stub = stub.withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS);
    }
    stub.readSegments(request, call);
    return call;
  }

  /** Blocks. Null when nothing came in time. */
  @Nullable ReadEvent take(Duration timeout) throws InterruptedException {
    ReadEvent event = events.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
    if (event != null && event.message() != null && requests != null) {
      requests.request(1);
    }
    return event;
  }

  void cancel(String why) {
    if (requests != null) {
      requests.cancel(why, null);
    }
  }

  long ageNanos() {
    return System.nanoTime() - startedAt;
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<ReadSegmentsRequest> requests) {
    this.requests = requests;
    requests.disableAutoRequestWithInitial(BUFFERED_MESSAGES);
  }

  @Override
  public void onNext(ReadSegmentsResponse message) {
    events.add(new ReadEvent(message, null));
  }

  @Override
  public void onError(Throwable thrown) {
    events.add(new ReadEvent(null, CallFailure.of(thrown)));
  }

  @Override
  public void onCompleted() {
    events.add(
        new ReadEvent(
            null, CallFailure.of(Status.UNAVAILABLE.withDescription("cut before the typed end"))));
  }
}

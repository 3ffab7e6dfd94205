package io.agentjournal.client;

import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is stored where a writer has sent without hearing of it. A writer without a fence
 * cannot know that these segments are its own: another one may have been there first.
 */
final class StoredComparison
    implements ClientResponseObserver<ReadSegmentsRequest, ReadSegmentsResponse> {
  private final long first;
  private final List<OutgoingSegment> expected;
  private final Consumer<@Nullable CallFailure> result;
  private @Nullable ClientCallStreamObserver<ReadSegmentsRequest> requests;
  private int equal;
  private boolean done;

  private StoredComparison(
      long first, List<OutgoingSegment> expected, Consumer<@Nullable CallFailure> result) {
    this.first = first;
    this.expected = expected;
    this.result = result;
  }

  /**
   * {@code result} is called once, on {@code executor}: with null when all are stored as expected.
   */
  static StoredComparison start(
      Channel channel,
      Executor executor,
      String streamKey,
      long first,
      List<OutgoingSegment> expected,
      Consumer<@Nullable CallFailure> result) {
    StoredComparison comparison = new StoredComparison(first, expected, result);
    SegmentServiceGrpc.newStub(channel)
        .withExecutor(executor)
        .readSegments(
            ReadSegmentsRequest.newBuilder()
                .setStreamKey(streamKey)
                .setStartIndex(first)
                .setLimit(expected.size())
                .build(),
            comparison);
    return comparison;
  }

  void cancel() {
    done = true;
    if (requests != null) {
      requests.cancel("not needed any more", null);
    }
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<ReadSegmentsRequest> requests) {
    this.requests = requests;
  }

  @Override
  public void onNext(ReadSegmentsResponse answer) {
    for (Segment stored : answer.getRun().getSegmentsList()) {
      if (equal < expected.size() && stored.equals(expected.get(equal).segment())) {
        equal++;
      } else {
        end(conflict());
        cancel();
        return;
      }
    }
  }

  @Override
  public void onError(Throwable thrown) {
    end(CallFailure.of(thrown));
  }

  @Override
  public void onCompleted() {
    end(
        equal == expected.size()
            ? null
            : CallFailure.of(Status.UNAVAILABLE.withDescription("the read was cut")));
  }

  private void end(@Nullable CallFailure failure) {
    if (!done) {
      done = true;
      result.accept(failure);
    }
  }

  private CallFailure conflict() {
    return new CallFailure(
        CallFailure.Kind.REFUSED,
        Status.Code.ALREADY_EXISTS,
        ErrorReason.ERROR_REASON_SEGMENT_CONFLICT,
        Map.of("index", Long.toString(first + equal)),
        "SEGMENT_CONFLICT: another writer stored segment " + (first + equal),
        null);
  }
}

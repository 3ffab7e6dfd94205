package io.agentjournal.client;

import io.agentjournal.v1.RenewLeasesRequest;
import io.agentjournal.v1.RenewLeasesResponse;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.grpc.Channel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One RenewLeases call, which may wait on the server. Used only by tasks of its keeper's executor.
 */
final class RenewalCall implements ClientResponseObserver<RenewLeasesRequest, RenewLeasesResponse> {
  private final LeaseKeeper keeper;
  private final long sentAt = System.nanoTime();
  private @Nullable ClientCallStreamObserver<RenewLeasesRequest> requests;

  private RenewalCall(LeaseKeeper keeper) {
    this.keeper = keeper;
  }

  /** Given up in time to try once more before a lease of the given length is over. */
  static RenewalCall start(
      Channel channel,
      Executor executor,
      RenewLeasesRequest request,
      Duration lease,
      LeaseKeeper keeper) {
    RenewalCall call = new RenewalCall(keeper);
    SubmissionServiceGrpc.newStub(channel)
        .withExecutor(executor)
        .withDeadlineAfter(lease.toNanos() / 2, TimeUnit.NANOSECONDS)
        .renewLeases(request, call);
    return call;
  }

  static com.google.protobuf.Duration duration(Duration duration) {
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(duration.getSeconds())
        .setNanos(duration.getNano())
        .build();
  }

  long sentAt() {
    return sentAt;
  }

  void cancel() {
    if (requests != null) {
      requests.cancel("asked anew", null);
    }
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<RenewLeasesRequest> requests) {
    this.requests = requests;
  }

  @Override
  public void onNext(RenewLeasesResponse answer) {
    keeper.answered(this, answer);
  }

  @Override
  public void onError(Throwable thrown) {
    keeper.failed(this, CallFailure.of(thrown));
  }

  @Override
  public void onCompleted() {
    // After its only answer.
  }
}

package io.agentjournal.client;

import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.RenewLeasesRequest;
import io.agentjournal.v1.RenewLeasesResponse;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.grpc.Channel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One RenewLeases call, which may wait on the server. Used only by tasks of its keeper's executor.
 */
final class RenewalCall implements ClientResponseObserver<RenewLeasesRequest, RenewLeasesResponse> {
  private final LeaseKeeper keeper;
  private final Duration wait;
  private final long sentAt = System.nanoTime();
  private @Nullable ClientCallStreamObserver<RenewLeasesRequest> requests;

  private RenewalCall(LeaseKeeper keeper, Duration wait) {
    this.keeper = keeper;
    this.wait = wait;
  }

  /**
   * Given up in time to ask once more before a lease of the given length is over.
   *
   * @param wait on the server; zero: it answers at once
   */
  static RenewalCall start(
      Channel channel,
      Executor executor,
      Collection<AttemptRef> attempts,
      Duration lease,
      Duration wait,
      LeaseKeeper keeper) {
    RenewalCall call = new RenewalCall(keeper, wait);
    RenewLeasesRequest.Builder request =
        RenewLeasesRequest.newBuilder().addAllAttempts(attempts).setDuration(duration(lease));
    if (!wait.isZero()) {
      request.setWait(duration(wait));
    }
    SubmissionServiceGrpc.newStub(channel)
        .withExecutor(executor)
        .withDeadlineAfter(lease.toNanos() / 2, TimeUnit.NANOSECONDS)
        .renewLeases(request.build(), call);
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

  /**
   * Of an answer that has just come: when the server has looked at the earliest. That is after it
   * has waited, unless it answered early.
   */
  long measuredAt() {
    long waited = System.nanoTime() - sentAt >= wait.toNanos() ? wait.toNanos() : 0;
    return sentAt + waited;
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

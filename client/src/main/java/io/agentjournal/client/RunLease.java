package io.agentjournal.client;

import io.agentjournal.v1.Lease;
import io.agentjournal.v1.RenewRunLeaseRequest;
import io.agentjournal.v1.RenewRunLeaseResponse;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Renews a run's lease, three times in each; it takes no thread. A process that was away for longer
 * than its lease, by its own clock, asks before it does anything again. Thread-safe.
 */
final class RunLease implements AutoCloseable {
  private final JournalTransport transport;
  private final RepeatedCall calls;
  private final SerialExecutor serial;
  private final RenewRunLeaseRequest request;
  private final Duration period;
  private volatile long heldUntil;
  private volatile @Nullable CallFailure lost;
  private volatile boolean closed;

  /**
   * @param grantedAt {@link System#nanoTime} before the call that granted it
   */
  RunLease(
      JournalTransport transport, String runId, RunClaim claim, Lease granted, long grantedAt) {
    this.transport = transport;
    this.calls = new RepeatedCall(transport);
    this.serial = transport.newSerialExecutor();
    this.period = claim.lease().dividedBy(3);
    this.request =
        RenewRunLeaseRequest.newBuilder()
            .setRunId(runId)
            .setClaimId(claim.id())
            .setLease(claim.request())
            .build();
    this.heldUntil = end(granted, grantedAt);
  }

  void start() {
    transport.schedule(period, serial, this::renew);
  }

  private void renew() {
    if (!closed && lost == null && !transport.isClosed()) {
      RunJournalServiceGrpc.newStub(transport.calls())
          .withDeadlineAfter(period.toNanos(), TimeUnit.NANOSECONDS)
          .renewRunLease(request, new Renewal(System.nanoTime()));
    }
  }

  /**
   * Blocks only when the lease may have run out.
   *
   * @throws JournalException the claim is lost: whatever this process does, it does in nobody's
   *     name
   */
  void requireHeld() {
    CallFailure failure = lost;
    if (failure != null) {
      throw JournalException.of(failure);
    }
    if (System.nanoTime() - heldUntil > 0) {
      long sentAt = System.nanoTime();
      RenewRunLeaseResponse renewed =
          calls.answer(
              () ->
                  RunJournalServiceGrpc.newBlockingStub(transport.calls())
                      .withDeadlineAfter(period.toNanos(), TimeUnit.NANOSECONDS)
                      .renewRunLease(request));
      heldUntil = end(renewed.getRun().getLease(), sentAt);
    }
  }

  private static long end(Lease lease, long askedAt) {
    com.google.protobuf.Duration left = lease.getRemaining();
    return askedAt + TimeUnit.SECONDS.toNanos(left.getSeconds()) + left.getNanos();
  }

  /** The lease runs out by itself, or ends with the run. */
  @Override
  public void close() {
    closed = true;
  }

  private final class Renewal implements StreamObserver<RenewRunLeaseResponse> {
    private final long sentAt;

    Renewal(long sentAt) {
      this.sentAt = sentAt;
    }

    @Override
    public void onNext(RenewRunLeaseResponse renewed) {
      heldUntil = end(renewed.getRun().getLease(), sentAt);
    }

    @Override
    public void onError(Throwable thrown) {
      CallFailure failure = CallFailure.of(thrown);
      if (failure.isTransient()) {
        start();
      } else if (!closed) {
        lost = failure;
      }
    }

    @Override
    public void onCompleted() {
      start();
    }
  }
}

package io.agentjournal.client;

import io.agentjournal.v1.RenewRunLeaseRequest;
import io.agentjournal.v1.RenewRunLeaseResponse;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.agentjournal.v1.RunJournalServiceGrpc.RunJournalServiceStub;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Renews a run's lease, three times in each. When the claim is lost, {@link #requireHeld} says so.
 * It takes no thread. Thread-safe; nothing blocks.
 */
final class RunLease implements StreamObserver<RenewRunLeaseResponse>, AutoCloseable {
  private final JournalTransport transport;
  private final RunJournalServiceStub journal;
  private final SerialExecutor serial;
  private final RenewRunLeaseRequest request;
  private final Duration period;
  private volatile @Nullable CallFailure lost;
  private volatile boolean closed;

  RunLease(JournalTransport transport, String runId, RunClaim claim) {
    this.transport = transport;
    this.journal = RunJournalServiceGrpc.newStub(transport.calls());
    this.serial = transport.newSerialExecutor();
    this.period = claim.lease().dividedBy(3);
    this.request =
        RenewRunLeaseRequest.newBuilder()
            .setRunId(runId)
            .setClaimId(claim.id())
            .setLease(claim.request())
            .build();
  }

  void start() {
    transport.schedule(period, serial, this::renew);
  }

  private void renew() {
    if (!closed && lost == null && !transport.isClosed()) {
      journal
          .withDeadlineAfter(period.toNanos(), TimeUnit.NANOSECONDS)
          .renewRunLease(request, this);
    }
  }

  @Override
  public void onNext(RenewRunLeaseResponse renewed) {}

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

  /**
   * @throws JournalException the claim is lost: whatever this process does, it does in nobody's
   *     name
   */
  void requireHeld() {
    CallFailure failure = lost;
    if (failure != null) {
      throw JournalException.of(failure);
    }
  }

  /** The lease runs out by itself, or ends with the run. */
  @Override
  public void close() {
    closed = true;
  }
}

package io.agentjournal.client;

import io.agentjournal.v1.ClaimNextSubmissionRequest;
import io.agentjournal.v1.ClaimSource;
import io.agentjournal.v1.LeaseRequest;
import java.time.Duration;
import java.util.List;

/** What a {@link JournalWorker} takes on, and how much of it. */
public final class JournalWorkerBuilder {
  private static final int MAX_CONCURRENCY = 1_000;

  private final JournalTransport transport;
  private final String owner;
  private final SubmissionHandler handler;
  private final ClaimNextSubmissionRequest.Builder request =
      ClaimNextSubmissionRequest.newBuilder();
  private Duration lease = Duration.ofSeconds(30);
  private int concurrency = 1;
  private boolean isSoleOwner;
  private Duration drain = Duration.ofSeconds(30);
  private FailurePolicy policy = FailurePolicy.LET_GO;
  private WorkerListener listener = new WorkerListener() {};

  JournalWorkerBuilder(JournalTransport transport, String owner, SubmissionHandler handler) {
    this.transport = transport;
    this.owner = owner;
    this.handler = handler;
  }

  /** Unset: "default" only. */
  public JournalWorkerBuilder queues(String... queues) {
    request.clearQueues().addAllQueues(List.of(queues));
    return this;
  }

  /** Unset: new and recoverable submissions, recoverable ones first. */
  public JournalWorkerBuilder source(ClaimSource source) {
    request.setSource(source);
    return this;
  }

  /**
   * 1 s to 1 h; 30 s. How long after this process's death its submissions wait for another. Renewed
   * three times in each.
   */
  public JournalWorkerBuilder lease(Duration lease) {
    this.lease = lease;
    return this;
  }

  /** How many submissions are handled at one time, 1 to 1,000; 1. */
  public JournalWorkerBuilder concurrency(int concurrency) {
    if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
      throw new IllegalArgumentException("concurrency is " + concurrency);
    }
    this.concurrency = concurrency;
    return this;
  }

  /**
   * The owner's name is this process's alone, over its restarts: what an earlier process of the
   * name still holds is given up when the worker starts, without waiting for its leases.
   */
  public JournalWorkerBuilder soleOwner() {
    this.isSoleOwner = true;
    return this;
  }

  /** How long {@link JournalWorker#close} waits for handlers before it interrupts them; 30 s. */
  public JournalWorkerBuilder drain(Duration drain) {
    if (drain.isNegative()) {
      throw new IllegalArgumentException("drain is " + drain);
    }
    this.drain = drain;
    return this;
  }

  /** Unset: {@link FailurePolicy#LET_GO}. */
  public JournalWorkerBuilder onFailure(FailurePolicy policy) {
    this.policy = policy;
    return this;
  }

  public JournalWorkerBuilder listener(WorkerListener listener) {
    this.listener = listener;
    return this;
  }

  /**
   * Begins to claim, in the background. Blocks only for {@link #soleOwner}'s call.
   *
   * @throws JournalException that call was refused, or is out of reach for too long
   */
  public JournalWorker start() {
    OutcomeCalls outcomes = new OutcomeCalls(transport);
    if (isSoleOwner) {
      outcomes.handOverAllOf(owner, "restarted");
    }
    request.setLease(
        LeaseRequest.newBuilder().setOwner(owner).setDuration(RenewalCall.duration(lease)));
    JournalWorker worker =
        new JournalWorker(
            transport,
            new WorkClaims(transport, request.build(), listener),
            outcomes,
            new JournalWorker.Settings(handler, policy, listener, lease, concurrency, drain));
    worker.start();
    return worker;
  }
}

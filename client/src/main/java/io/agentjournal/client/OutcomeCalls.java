package io.agentjournal.client;

import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.RequestRecoveryRequest;
import io.agentjournal.v1.RequeueSubmissionRequest;
import io.agentjournal.v1.SettleSubmissionRequest;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc.SubmissionServiceBlockingStub;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Writes what becomes of a submission. Thread-safe; blocks, and repeats over a journal that is
 * away.
 */
final class OutcomeCalls {
  private static final long DEADLINE_SECONDS = 20;

  private final JournalTransport transport;
  private final RepeatedCall calls;

  OutcomeCalls(JournalTransport transport) {
    this.transport = transport;
    this.calls = new RepeatedCall(transport);
  }

  /**
   * @throws JournalException it was refused, or the journal is away for too long
   */
  void write(AttemptRef attempt, WorkOutcome outcome) {
    if (outcome instanceof WorkOutcome.Settle settle) {
      SettleSubmissionRequest request =
          SettleSubmissionRequest.newBuilder()
              .setAttempt(attempt)
              .setSettlement(settle.settlement())
              .build();
      var unused = calls.answer(() -> submissions().settleSubmission(request));
    } else if (outcome instanceof WorkOutcome.Requeue requeue) {
      RequeueSubmissionRequest request =
          RequeueSubmissionRequest.newBuilder()
              .setAttempt(attempt)
              .setDelay(RenewalCall.duration(requeue.delay()))
              .setReason(requeue.reason())
              .build();
      var unused = calls.answer(() -> submissions().requeueSubmission(request));
    } else if (outcome instanceof WorkOutcome.HandOver handOver) {
      RequestRecoveryRequest request = handingOver(attempt, handOver.delay(), handOver.reason());
      var unused = calls.answer(() -> submissions().requestRecovery(request));
    }
  }

  /** One try, for who has no time left. */
  void handOverOnce(AttemptRef attempt, String reason, Duration atMost) {
    var unused =
        SubmissionServiceGrpc.newBlockingStub(transport.calls())
            .withDeadlineAfter(atMost.toNanos(), TimeUnit.NANOSECONDS)
            .requestRecovery(handingOver(attempt, Duration.ZERO, reason));
  }

  /** What the owner's earlier processes held may be taken over at once. */
  void handOverAllOf(String owner, String reason) {
    RequestRecoveryRequest request =
        RequestRecoveryRequest.newBuilder().setOwner(owner).setReason(reason).build();
    var unused = calls.answer(() -> submissions().requestRecovery(request));
  }

  private static RequestRecoveryRequest handingOver(
      AttemptRef attempt, Duration delay, String reason) {
    RequestRecoveryRequest.Builder request =
        RequestRecoveryRequest.newBuilder().setAttempt(attempt).setReason(reason);
    if (!delay.isZero()) {
      request.setDelay(RenewalCall.duration(delay));
    }
    return request.build();
  }

  private SubmissionServiceBlockingStub submissions() {
    return SubmissionServiceGrpc.newBlockingStub(transport.calls())
        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }
}

package io.agentjournal.client;

import io.agentjournal.v1.ClaimNextSubmissionRequest;
import io.agentjournal.v1.ClaimNextSubmissionResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks for work until there is some:
 *
 * <ol>
 *   <li>a new attempt id, and a call that waits on the server;
 *   <li>answered without a submission: the same again;
 *   <li>the answer is lost: the same attempt id again, after a pause and at first without much
 *       waiting, which gets what the lost answer told of, if it told of something;
 *   <li>refused, since that attempt was given back meanwhile: a new attempt id.
 * </ol>
 *
 * Used by one thread, which blocks; interrupting it ends the asking, and the server gives back what
 * an unheard answer told of.
 */
final class WorkClaims {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Of the first repeat; each further one waits twice as long, for a journal that is slow. */
  private static final Duration PATIENCE_OF_REPEATS = Duration.ofSeconds(1);

  private final JournalTransport transport;
  private final ClaimNextSubmissionRequest request;
  private final WorkerListener listener;
  private Outage outage;

  /**
   * @param request without an attempt id
   */
  WorkClaims(
      JournalTransport transport, ClaimNextSubmissionRequest request, WorkerListener listener) {
    this.transport = transport;
    this.request = request;
    this.listener = listener;
    this.outage = new Outage(transport.retry());
  }

  /** What was claimed, and under which attempt id. */
  record Claim(String attemptId, ClaimNextSubmissionResponse answer) {}

  /**
   * @throws InterruptedException the asking is to end
   * @throws JournalException it makes no sense to go on
   */
  Claim next() throws InterruptedException {
    String attemptId = newAttemptId();
    int repeats = 0;
    while (true) {
      long start = System.nanoTime();
      CallFailure failure;
      try {
        ClaimNextSubmissionResponse answer = ask(attemptId, repeats);
        outage.over();
        if (answer.hasSubmission()) {
          return new Claim(attemptId, answer);
        }
        attemptId = newAttemptId();
        repeats = 0;
        continue;
      } catch (StatusRuntimeException e) {
        failure = CallFailure.of(e);
      }
      if (Thread.interrupted()) {
        throw new InterruptedException("the worker ends");
      }
      if (failure.reason() == ErrorReason.ERROR_REASON_ATTEMPT_USED) {
        attemptId = newAttemptId();
        repeats = 0;
      } else if (failure.isTransient()) {
        repeats++;
        pause(System.nanoTime() - start, failure);
      } else {
        throw JournalException.of(failure);
      }
    }
  }

  private ClaimNextSubmissionResponse ask(String attemptId, int repeats) {
    Duration patience = PATIENCE;
    if (repeats > 0) {
      Duration longer = PATIENCE_OF_REPEATS.multipliedBy(1L << Math.min(repeats - 1, 10));
      patience = longer.compareTo(PATIENCE) < 0 ? longer : PATIENCE;
    }
    return SubmissionServiceGrpc.newBlockingStub(transport.calls())
        .withDeadlineAfter(patience.toNanos(), TimeUnit.NANOSECONDS)
        .claimNextSubmission(request.toBuilder().setAttemptId(attemptId).build());
  }

  private void pause(long callAgeNanos, CallFailure failure) throws InterruptedException {
    @Nullable CallFailure hopeless = outage.hopeless(callAgeNanos, failure);
    if (hopeless != null) {
      listener.unavailable(JournalException.of(hopeless));
      outage = new Outage(transport.retry());
    }
    if (failure.code() == Status.Code.DEADLINE_EXCEEDED) {
      transport.leaveConnection();
    }
    TimeUnit.NANOSECONDS.sleep(outage.pause().toNanos());
    transport.connectNow();
  }

  private static String newAttemptId() {
    return UUID.randomUUID().toString();
  }
}

package io.agentjournal.it.model;

import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.RenewLeasesRequest;
import io.agentjournal.v1.RenewLeasesResponse;
import io.agentjournal.v1.Renewal;
import io.agentjournal.v1.RenewalState;
import io.agentjournal.v1.RequestRecoveryRequest;
import io.agentjournal.v1.RequestRecoveryResponse;
import java.util.ArrayList;
import java.util.List;

/** What the contract says of leases, of giving them up, and of time that passes. */
final class Leases {
  private Leases() {}

  static Answer renew(World world, RenewLeasesRequest request) {
    List<Renewal> renewals = new ArrayList<>();
    for (AttemptRef attempt : request.getAttemptsList()) {
      ModelSubmission submission = world.submissions.get(attempt.getSubmissionId());
      Renewal.Builder renewal = Renewal.newBuilder().setAttempt(attempt);
      if (submission == null) {
        renewal
            .setState(RenewalState.RENEWAL_STATE_NOT_FOUND)
            .setReason(ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
      } else {
        renew(submission, attempt.getAttemptId(), renewal);
      }
      renewals.add(renewal.build());
    }
    return Told.of(RenewLeasesResponse.getDefaultInstance(), "renewals", renewals);
  }

  private static void renew(ModelSubmission submission, String attemptId, Renewal.Builder renewal) {
    if (submission.told.hasAbortRequestedAt()) {
      renewal.setAbortRequested(true).setAbortReason(submission.told.getAbortReason());
    }
    if (submission.isSettled()) {
      renewal
          .setState(RenewalState.RENEWAL_STATE_SETTLED)
          .setReason(ErrorReason.ERROR_REASON_ALREADY_SETTLED);
    } else if (!submission.isHeldBy(attemptId)) {
      renewal
          .setState(RenewalState.RENEWAL_STATE_LOST)
          .setReason(ErrorReason.ERROR_REASON_STALE_ATTEMPT);
    } else {
      boolean isRefused = submission.timeSpent || submission.abortGraceOver;
      submission.leaseEnded &= isRefused;
      renewal
          .setState(
              isRefused ? RenewalState.RENEWAL_STATE_REFUSED : RenewalState.RENEWAL_STATE_RENEWED)
          .setLease(submission.told.getLease());
    }
  }

  static Answer requestRecovery(World world, RequestRecoveryRequest request) {
    List<String> stamped = new ArrayList<>();
    switch (request.getWhichCase()) {
      case ATTEMPT -> {
        AttemptRef attempt = request.getAttempt();
        ModelSubmission submission = world.submission(attempt.getSubmissionId());
        submission.requireHeldBy(attempt.getAttemptId());
        stamp(submission, request, stamped);
      }
      case SUBMISSION_ID -> {
        ModelSubmission submission = world.submission(request.getSubmissionId());
        submission.requireUnsettled();
        if (!submission.isRunning()) {
          throw new Denied(ErrorReason.ERROR_REASON_ILLEGAL_PHASE);
        }
        stamp(submission, request, stamped);
      }
      case OWNER, WHICH_NOT_SET -> {
        for (ModelSubmission submission : world.submissions.values()) {
          boolean isTheirs =
              submission.isRunning()
                  && submission.told.getLease().getOwner().equals(request.getOwner());
          if (isTheirs) {
            stamp(submission, request, stamped);
          }
        }
      }
    }
    stamped.sort(null);
    return Told.of(RequestRecoveryResponse.getDefaultInstance(), "submission_ids", stamped);
  }

  /** Of two requests the one that is due first counts; of two that are due, the first. */
  private static void stamp(
      ModelSubmission submission, RequestRecoveryRequest request, List<String> stamped) {
    boolean isDue = !request.hasDelay();
    if (submission.told.hasRecoveryRequestedAt() && (submission.recoveryDue || !isDue)) {
      return;
    }
    stamped.add(submission.id());
    submission.recoveryDue = isDue;
    submission.recoveryCounted = request.hasSubmissionId();
    submission.told =
        submission.told.toBuilder()
            .setRecoveryRequestedAt(Told.TIME)
            .setRecoveryReason(request.getReason())
            .build();
  }

  /** As the statements of {@link Clock} do. */
  static void pass(World world, TimePasses passed) {
    ModelSubmission submission = world.submissions.get(passed.submissionId());
    if (submission == null) {
      return;
    }
    switch (passed.what()) {
      case LEASE -> submission.leaseEnded |= submission.isRunning();
      case TIMEOUT ->
          submission.timeSpent |= submission.told.hasDeadlineAt() && !submission.isSettled();
      case DELAY -> {
        if (submission.delay == ModelSubmission.Delay.AHEAD) {
          submission.delay = ModelSubmission.Delay.OVER;
        }
        submission.recoveryDue |= submission.told.hasRecoveryRequestedAt();
        submission.waits.replaceAll((id, wait) -> wait.expired());
      }
      case ABORT_GRACE -> submission.abortGraceOver |= submission.told.hasAbortRequestedAt();
    }
  }
}

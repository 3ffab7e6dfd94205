package io.agentjournal.submission;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.payload.Payload;
import io.agentjournal.payload.PayloadMessages;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.rpc.Times;
import io.agentjournal.rpc.Traceparent;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.LeaseRequest;
import java.time.Duration;

/** What callers send about submissions, checked. Ids are of the namespace of the call. */
public final class SubmissionRequests {
  private SubmissionRequests() {}

  public static SubmissionId submission(String submissionId) {
    return new SubmissionId(NamespaceInterceptor.current(), submissionId);
  }

  public static AttemptId attempt(AttemptRef attempt) {
    return new AttemptId(submission(attempt.getSubmissionId()), attempt.getAttemptId());
  }

  public static LeaseGrant lease(LeaseRequest lease) {
    return new LeaseGrant(
        lease.getOwner(),
        lease.hasDuration()
            ? Times.duration("lease.duration", lease.getDuration())
            : LeaseGrant.DEFAULT_DURATION);
  }

  /**
   * How a submission is to end.
   *
   * @throws InvalidField no outcome, or a failure with COMPLETED
   */
  public static Settlement settlement(io.agentjournal.v1.Settlement settlement) {
    Failure failure = settlement.getFailure();
    return new Settlement(
        outcome(settlement.getOutcome()),
        PayloadMessages.from("settlement.result", settlement.getResult(), Payload.MAX_BYTES),
        settlement.hasFailure() ? failure.getCode() : null,
        settlement.hasFailure() ? failure.getMessage() : null);
  }

  private static Outcome outcome(io.agentjournal.v1.Outcome outcome) {
    return switch (outcome) {
      case OUTCOME_COMPLETED -> Outcome.COMPLETED;
      case OUTCOME_FAILED -> Outcome.FAILED;
      case OUTCOME_ABORTED -> Outcome.ABORTED;
      case OUTCOME_UNSPECIFIED, UNRECOGNIZED ->
          throw InvalidField.ofValue("settlement.outcome", outcome.name(), "not an outcome");
    };
  }

  static NewSubmission admission(AdmitSubmissionRequest request) {
    Namespace namespace = NamespaceInterceptor.current();
    return new NewSubmission(
        submission(request.getSubmissionId()),
        new SessionKey(namespace, request.getSessionKey()),
        kind(request.getKind()),
        request.getQueue().isEmpty() ? NewSubmission.DEFAULT_QUEUE : request.getQueue(),
        PayloadMessages.from("input", request.getInput(), Payload.MAX_BYTES),
        request.hasMaxAttempts() ? request.getMaxAttempts() : NewSubmission.DEFAULT_MAX_ATTEMPTS,
        request.hasTimeout()
            ? Times.duration("timeout", request.getTimeout())
            : NewSubmission.DEFAULT_TIMEOUT,
        request.hasDelay() ? Times.duration("delay", request.getDelay()) : Duration.ZERO,
        Traceparent.current());
  }

  private static SubmissionKind kind(io.agentjournal.v1.SubmissionKind kind) {
    return switch (kind) {
      case SUBMISSION_KIND_UNSPECIFIED, SUBMISSION_KIND_DISPATCH -> SubmissionKind.DISPATCH;
      case SUBMISSION_KIND_DIRECT -> SubmissionKind.DIRECT;
      case UNRECOGNIZED -> throw InvalidField.because("kind", "not a kind of submission");
    };
  }
}

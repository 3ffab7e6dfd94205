package io.agentjournal.submission;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.payload.Payload;
import io.agentjournal.payload.PayloadMessages;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.rpc.Times;
import io.agentjournal.rpc.Traceparent;
import io.agentjournal.submission.RecoveryRequestStore.RecoveryWish;
import io.agentjournal.submission.SubmissionSelection.Filter;
import io.agentjournal.transcript.EntryMessages;
import io.agentjournal.transcript.NewEntries;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.ListSubmissionsRequest;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.RequestRecoveryRequest;
import io.agentjournal.v1.ResumeSubmissionRequest;
import io.agentjournal.v1.SubmissionFilter;
import io.agentjournal.v1.SuspendSubmissionRequest;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What callers send about submissions, checked. Ids are of the namespace of the call. */
public final class SubmissionRequests {
  private static final int MAX_REASON_BYTES = 16 << 10;

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

  static SubmissionSelection selection(ListSubmissionsRequest request) {
    Duration stillFor =
        request.hasStillFor()
            ? Times.duration("still_for", request.getStillFor())
            : SubmissionSelection.DEFAULT_STILL_FOR;
    return new SubmissionSelection(
        NamespaceInterceptor.current(),
        filter(request.getFilter()),
        asked("queue", request.getQueue()),
        asked("session_key", request.getSessionKey()),
        asked("owner", request.getOwner()),
        stillFor);
  }

  /** Null where the caller did not ask for it. */
  private static @Nullable String asked(String field, String value) {
    return value.isEmpty() ? null : Identifier.check(field, value);
  }

  private static Filter filter(SubmissionFilter filter) {
    return switch (filter) {
      case SUBMISSION_FILTER_UNSPECIFIED -> Filter.ALL;
      case SUBMISSION_FILTER_RUNNABLE -> Filter.RUNNABLE;
      case SUBMISSION_FILTER_RUNNING -> Filter.RUNNING;
      case SUBMISSION_FILTER_EXPIRED -> Filter.EXPIRED;
      case SUBMISSION_FILTER_STUCK -> Filter.STUCK;
      case SUBMISSION_FILTER_UNSETTLED -> Filter.UNSETTLED;
      case UNRECOGNIZED -> throw InvalidField.because("filter", "not a filter");
    };
  }

  static Duration delay(boolean isSet, com.google.protobuf.Duration delay) {
    Duration checked = isSet ? Times.duration("delay", delay) : Duration.ZERO;
    NewSubmission.checkDelay(checked);
    return checked;
  }

  static String reason(String reason) {
    return Identifier.checkText("reason", reason, MAX_REASON_BYTES);
  }

  static Suspension suspension(SuspendSubmissionRequest request) {
    return new Suspension(
        request.getWaitsList().stream().map(SubmissionRequests::question).toList(),
        request.hasDelay() ? Times.duration("delay", request.getDelay()) : null);
  }

  private static NewWait question(io.agentjournal.v1.NewWait wait) {
    return new NewWait(
        wait.getWaitId(),
        PayloadMessages.from("waits.question", wait.getQuestion(), NewWait.MAX_PAYLOAD_BYTES),
        wait.hasTimeout() ? Times.duration("waits.timeout", wait.getTimeout()) : null);
  }

  static Answer answer(ResumeSubmissionRequest request) {
    return new Answer(
        request.getWaitId(),
        PayloadMessages.from("answer", request.getAnswer(), NewWait.MAX_PAYLOAD_BYTES),
        request.getAnsweredBy());
  }

  static String owner(String owner) {
    return Identifier.check("owner", owner);
  }

  /** Asked for by who holds it, or by its owner, it costs no attempt. */
  static RecoveryWish wish(RequestRecoveryRequest request) {
    return new RecoveryWish(
        delay(request.hasDelay(), request.getDelay()),
        reason(request.getReason()),
        request.hasSubmissionId());
  }

  static NewEntries entries(
      AttemptRef attempt, List<NewEntry> entries, @Nullable String expectedLeafId) {
    return EntryMessages.from(entries, expectedLeafId, attempt.getSubmissionId(), null);
  }
}

package io.agentjournal.submission;

import com.google.protobuf.Message;
import io.agentjournal.payload.PayloadMessages;
import io.agentjournal.rpc.Times;
import io.agentjournal.submission.Submission.AbortRequest;
import io.agentjournal.submission.Submission.Budget;
import io.agentjournal.submission.Submission.RecoveryRequest;
import io.agentjournal.submission.Submission.Settled;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.PayloadView;
import io.agentjournal.v1.SettlementView;

/** Submissions as messages. */
public final class SubmissionMessages {
  /** What stock clients take. */
  private static final int MAX_ANSWER_BYTES = 4 << 20;

  /** Of what is around the parts of an answer. */
  private static final int MARGIN_BYTES = 1 << 10;

  private SubmissionMessages() {}

  /**
   * The submission as a part of an answer that is to stay below 4 MiB: where it would not, the
   * input is left out, and then the result.
   *
   * @param beside the answer's other parts, so far
   */
  public static io.agentjournal.v1.Submission from(Submission submission, Message beside) {
    int room = MAX_ANSWER_BYTES - MARGIN_BYTES - beside.getSerializedSize();
    io.agentjournal.v1.Submission.Builder message = from(submission).toBuilder();
    if (message.build().getSerializedSize() > room) {
      omit(message.getInputBuilder());
    }
    if (message.hasSettlement() && message.build().getSerializedSize() > room) {
      omit(message.getSettlementBuilder().getResultBuilder());
    }
    return message.build();
  }

  private static void omit(PayloadView.Builder view) {
    if (view.hasPayload()) {
      view.clearPayload().setOmitted(true);
    }
  }

  public static io.agentjournal.v1.Submission from(Submission submission) {
    io.agentjournal.v1.Submission.Builder message =
        io.agentjournal.v1.Submission.newBuilder()
            .setSubmissionId(submission.id().id())
            .setSessionKey(submission.session().key())
            .setKind(kind(submission.kind()))
            .setQueue(submission.queue())
            .setStatus(status(submission.status()))
            .setSequence(submission.sequence())
            .setInput(PayloadMessages.from(submission.input()))
            .setAdmittedAt(Times.message(submission.admittedAt()));
    addBudget(submission.budget(), message);
    Lease lease = submission.lease();
    if (lease != null) {
      message.setAttemptId(lease.attemptId()).setLease(from(lease));
    }
    addRequests(submission, message);
    if (submission.inputAppliedAt() != null) {
      message.setInputAppliedAt(Times.message(submission.inputAppliedAt()));
    }
    if (submission.notBefore() != null) {
      message.setNotBefore(Times.message(submission.notBefore()));
    }
    for (Wait wait : submission.waits()) {
      message.addWaits(from(wait));
    }
    if (submission.settled() != null) {
      message.setSettlement(from(submission.settled()));
    }
    if (submission.traceparent() != null) {
      message.setTraceparent(submission.traceparent());
    }
    return message.build();
  }

  private static void addBudget(Budget budget, io.agentjournal.v1.Submission.Builder message) {
    message
        .setAttemptCount(budget.attemptCount())
        .setMaxAttempts(budget.maxAttempts())
        .setTimeout(Times.message(budget.timeout()));
    if (budget.startedAt() != null) {
      message.setStartedAt(Times.message(budget.startedAt()));
    }
    if (budget.deadlineAt() != null) {
      message.setDeadlineAt(Times.message(budget.deadlineAt()));
    }
  }

  private static void addRequests(
      Submission submission, io.agentjournal.v1.Submission.Builder message) {
    RecoveryRequest recovery = submission.recovery();
    if (recovery != null) {
      message
          .setRecoveryRequestedAt(Times.message(recovery.requestedAt()))
          .setRecoveryReason(recovery.reason());
    }
    AbortRequest abort = submission.abort();
    if (abort != null) {
      message
          .setAbortRequestedAt(Times.message(abort.requestedAt()))
          .setAbortReason(abort.reason());
    }
  }

  /** What is left is reckoned here: call it when the transaction is committed. */
  static io.agentjournal.v1.Lease from(Lease lease) {
    return io.agentjournal.v1.Lease.newBuilder()
        .setOwner(lease.owner())
        .setExpiresAt(Times.message(lease.expiresAt()))
        .setRemaining(Times.message(lease.remaining()))
        .build();
  }

  private static io.agentjournal.v1.Wait from(Wait wait) {
    io.agentjournal.v1.Wait.Builder message =
        io.agentjournal.v1.Wait.newBuilder()
            .setWaitId(wait.waitId())
            .setQuestion(PayloadMessages.from(wait.question()));
    if (wait.expiresAt() != null) {
      message.setExpiresAt(Times.message(wait.expiresAt()));
    }
    if (wait.answeredAt() != null) {
      message
          .setAnsweredAt(Times.message(wait.answeredAt()))
          .setAnswer(PayloadMessages.from(wait.answer()));
    }
    if (wait.answeredBy() != null) {
      message.setAnsweredBy(wait.answeredBy());
    }
    return message.build();
  }

  private static SettlementView from(Settled settled) {
    SettlementView.Builder message =
        SettlementView.newBuilder()
            .setOutcome(outcome(settled.outcome()))
            .setResult(PayloadMessages.from(settled.result()))
            .setSettledAt(Times.message(settled.settledAt()))
            .addAllUnresolvedToolCallIds(settled.unresolvedToolCallIds());
    if (settled.failureCode() != null && settled.failureMessage() != null) {
      message.setFailure(
          Failure.newBuilder().setCode(settled.failureCode()).setMessage(settled.failureMessage()));
    }
    if (settled.attemptId() != null) {
      message.setSettledByAttemptId(settled.attemptId());
    }
    return message.build();
  }

  static io.agentjournal.v1.Receipt from(Receipt receipt) {
    io.agentjournal.v1.Receipt.Builder message =
        io.agentjournal.v1.Receipt.newBuilder()
            .setSubmissionId(receipt.id().id())
            .setSessionKey(receipt.sessionKey())
            .setAdmittedAt(Times.message(receipt.admittedAt()))
            .setAdmissionSha256(receipt.admissionSha256());
    if (receipt.outcome() != null) {
      message.setOutcome(outcome(receipt.outcome()));
    }
    if (receipt.settledAt() != null) {
      message.setSettledAt(Times.message(receipt.settledAt()));
    }
    return message.build();
  }

  private static io.agentjournal.v1.SubmissionKind kind(SubmissionKind kind) {
    return io.agentjournal.v1.SubmissionKind.valueOf("SUBMISSION_KIND_" + kind.name());
  }

  private static io.agentjournal.v1.SubmissionStatus status(SubmissionStatus status) {
    return io.agentjournal.v1.SubmissionStatus.valueOf("SUBMISSION_STATUS_" + status.name());
  }

  static io.agentjournal.v1.Outcome outcome(Outcome outcome) {
    return io.agentjournal.v1.Outcome.valueOf("OUTCOME_" + outcome.name());
  }
}

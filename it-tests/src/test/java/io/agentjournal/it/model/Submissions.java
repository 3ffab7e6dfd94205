package io.agentjournal.it.model;

import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AdmitSubmissionResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.MarkInputAppliedRequest;
import io.agentjournal.v1.MarkInputAppliedResponse;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.PayloadView;
import io.agentjournal.v1.Receipt;
import io.agentjournal.v1.StatusChanged;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionStatus;

/** What the contract says of admission and of the input. */
final class Submissions {
  private Submissions() {}

  static Answer admit(World world, AdmitSubmissionRequest request) {
    ModelSubmission there = world.submissions.get(request.getSubmissionId());
    AdmitSubmissionRequest admission = request.toBuilder().clearDelay().build();
    Deletions.Kept kept = world.kept.get(request.getSubmissionId());
    AdmitSubmissionRequest earlier = kept == null ? null : kept.admission();
    if (there != null) {
      earlier = there.admission;
    }
    if (earlier != null && !earlier.equals(admission)) {
      throw new Denied(
          ErrorReason.ERROR_REASON_SUBMISSION_CONFLICT, "submission_id", request.getSubmissionId());
    }
    if (kept != null) {
      return Told.of(
          AdmitSubmissionResponse.getDefaultInstance(),
          "applied",
          false,
          "receipt",
          kept.receipt());
    }
    boolean applied = there == null;
    ModelSubmission submission = there == null ? add(world, request, admission) : there;
    return Told.of(
        AdmitSubmissionResponse.getDefaultInstance(),
        "applied",
        applied,
        "submission",
        submission.view(),
        "receipt",
        receipt(submission));
  }

  private static ModelSubmission add(
      World world, AdmitSubmissionRequest request, AdmitSubmissionRequest admission) {
    ModelSession session =
        world
            .sessions
            .computeIfAbsent(request.getSessionKey(), ModelSession::new)
            .requireNotDeleting();
    session.admitted++;
    session.unsettled.add(request.getSubmissionId());
    Submission told =
        Submission.newBuilder()
            .setSubmissionId(request.getSubmissionId())
            .setSessionKey(request.getSessionKey())
            .setKind(request.getKind())
            .setQueue(request.getQueue())
            .setStatus(SubmissionStatus.SUBMISSION_STATUS_QUEUED)
            .setSequence(session.admitted)
            .setInput(view(request.getInput()))
            .setMaxAttempts(request.getMaxAttempts())
            .setTimeout(request.getTimeout())
            .setAdmittedAt(Told.TIME)
            .build();
    ModelSubmission submission = new ModelSubmission(admission, told);
    submission.delay =
        request.hasDelay() ? ModelSubmission.Delay.AHEAD : ModelSubmission.Delay.NONE;
    world.submissions.put(submission.id(), submission);
    world.tellStatus(submission, StatusChanged.newBuilder());
    return submission;
  }

  static PayloadView view(Payload payload) {
    PayloadView.Builder view = PayloadView.newBuilder().setSizeBytes(payload.getText().length());
    return payload.hasText() ? view.setPayload(payload).build() : view.build();
  }

  static Receipt receipt(ModelSubmission submission) {
    Receipt.Builder receipt =
        Receipt.newBuilder()
            .setSubmissionId(submission.id())
            .setSessionKey(submission.told.getSessionKey())
            .setAdmittedAt(Told.TIME);
    return submission.isSettled()
        ? receipt
            .setOutcome(submission.told.getSettlement().getOutcome())
            .setSettledAt(Told.TIME)
            .build()
        : receipt.build();
  }

  static Answer markInputApplied(World world, MarkInputAppliedRequest request) {
    ModelSubmission submission = world.submission(request.getAttempt().getSubmissionId());
    ModelSession session = world.sessionOf(submission);
    String attemptId = request.getAttempt().getAttemptId();
    Transcript.Added added =
        Transcript.Added.by(
            request.getAttempt(),
            request.getEntriesList(),
            request.hasExpectedLeafId() ? request.getExpectedLeafId() : null,
            "");
    boolean mayRepeat =
        submission.inputAppliedBy.equals(attemptId) || submission.isHeldBy(attemptId);
    boolean isRepeat =
        submission.isInputApplied() && mayRepeat && Transcript.hasAll(session, added);
    if (!isRepeat) {
      submission.requireHeldBy(attemptId);
      if (submission.isInputApplied()) {
        throw new Denied(
            Transcript.hasAny(session, added)
                ? ErrorReason.ERROR_REASON_ENTRY_CONFLICT
                : ErrorReason.ERROR_REASON_ILLEGAL_PHASE);
      }
      Transcript.append(session, added);
      applyInput(submission, attemptId);
    }
    return Told.of(
        MarkInputAppliedResponse.getDefaultInstance(),
        "applied",
        !isRepeat,
        "leaf_id",
        session.leafId);
  }

  /** The first stamp stays. */
  static void applyInput(ModelSubmission submission, String attemptId) {
    if (!submission.isInputApplied()) {
      submission.inputAppliedBy = attemptId;
      submission.told = submission.told.toBuilder().setInputAppliedAt(Told.TIME).build();
    }
  }
}

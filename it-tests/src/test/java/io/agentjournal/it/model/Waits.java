package io.agentjournal.it.model;

import io.agentjournal.it.model.ModelSubmission.ModelWait;
import io.agentjournal.v1.AttemptEnd;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.NewWait;
import io.agentjournal.v1.ResumeSubmissionRequest;
import io.agentjournal.v1.ResumeSubmissionResponse;
import io.agentjournal.v1.StatusChanged;
import io.agentjournal.v1.SubmissionStatus;
import io.agentjournal.v1.SuspendSubmissionRequest;
import io.agentjournal.v1.SuspendSubmissionResponse;
import io.agentjournal.v1.Wait;
import java.util.List;

/** What the contract says of waiting for answers. */
final class Waits {
  private Waits() {}

  static Answer suspend(World world, SuspendSubmissionRequest request) {
    ModelSubmission submission = world.submission(request.getAttempt().getSubmissionId());
    String attemptId = request.getAttempt().getAttemptId();
    List<NewWait> questions = request.getWaitsList();
    boolean isAsked = questions.stream().allMatch(question -> isAsked(submission, question));
    boolean applied =
        !(isAsked
            && submission.markers.containsKey(attemptId)
            && submission.markers.get(attemptId).getEnd() == AttemptEnd.ATTEMPT_END_SUSPENDED);
    if (applied) {
      submission.requireHeldBy(attemptId);
      requireSameQuestions(submission, questions);
      applied = suspend(world, submission, request) || !isAsked;
    }
    return Told.of(
        SuspendSubmissionResponse.getDefaultInstance(),
        "applied",
        applied,
        "submission",
        submission.view());
  }

  private static boolean isAsked(ModelSubmission submission, NewWait question) {
    ModelWait there = submission.waits.get(question.getWaitId());
    return there != null
        && there.suspension() > 0
        && there.told().getQuestion().equals(question.getQuestion());
  }

  private static void requireSameQuestions(ModelSubmission submission, List<NewWait> questions) {
    for (NewWait question : questions) {
      ModelWait there = submission.waits.get(question.getWaitId());
      if (there != null && there.suspension() > 0 && !isAsked(submission, question)) {
        throw new Denied(ErrorReason.ERROR_REASON_WAIT_CONFLICT, "wait_id", question.getWaitId());
      }
    }
  }

  /** False: all was answered already, and it goes on running. */
  private static boolean suspend(
      World world, ModelSubmission submission, SuspendSubmissionRequest request) {
    if (submission.told.hasAbortRequestedAt()) {
      Endings.settleAborted(world, submission, "");
      return true;
    }
    submission.suspensions++;
    List<NewWait> questions = request.getWaitsList();
    for (int position = 0; position < questions.size(); position++) {
      ask(submission, questions.get(position), position);
    }
    boolean isAnswered =
        questions.stream()
            .allMatch(
                question -> {
                  ModelWait wait = submission.waits.get(question.getWaitId());
                  return wait != null && wait.isAnswered();
                });
    if (!request.hasDelay() && isAnswered) {
      return false;
    }
    submission.release(
        AttemptEnd.ATTEMPT_END_SUSPENDED, "", SubmissionStatus.SUBMISSION_STATUS_WAITING);
    submission.forgetRecovery();
    submission.delay =
        request.hasDelay() ? ModelSubmission.Delay.AHEAD : ModelSubmission.Delay.NONE;
    ModelStream stream = world.streamOf(submission);
    if (stream != null && stream.isOpen()) {
      stream.told = stream.told.toBuilder().clearAttempt().build();
    }
    tell(world, submission);
    return true;
  }

  /** What has no answer yet. */
  private static void tell(World world, ModelSubmission submission) {
    List<String> open =
        submission.currentWaits().stream()
            .filter(wait -> wait.suspension() > 0 && !wait.isAnswered())
            .map(wait -> wait.told().getWaitId())
            .toList();
    world.tellStatus(submission, StatusChanged.newBuilder().addAllWaitIds(open));
  }

  private static void ask(ModelSubmission submission, NewWait question, int position) {
    ModelWait there = submission.waits.get(question.getWaitId());
    Wait.Builder told =
        there == null
            ? Wait.newBuilder().setWaitId(question.getWaitId())
            : there.told().toBuilder();
    told.setQuestion(question.getQuestion()).clearExpiresAt();
    if (question.hasTimeout()) {
      told.setExpiresAt(Told.TIME);
    }
    submission.waits.put(
        question.getWaitId(), new ModelWait(told.build(), submission.suspensions, position, false));
  }

  static Answer resume(World world, ResumeSubmissionRequest request) {
    ModelSubmission submission = world.submission(request.getSubmissionId());
    ModelWait there = submission.waits.get(request.getWaitId());
    boolean isAnswered = there != null && there.isAnswered();
    if (there != null && isAnswered) {
      requireSameAnswer(there, request);
    } else {
      submission.requireUnsettled();
      answer(submission, there, request);
      if (there != null && submission.isWaiting()) {
        tell(world, submission);
      }
    }
    return Told.of(
        ResumeSubmissionResponse.getDefaultInstance(),
        "applied",
        !isAnswered,
        "submission",
        submission.view());
  }

  private static void requireSameAnswer(ModelWait there, ResumeSubmissionRequest request) {
    boolean isSame =
        there.told().getAnswer().equals(request.getAnswer())
            && there.told().getAnsweredBy().equals(request.getAnsweredBy());
    if (!isSame) {
      throw new Denied(ErrorReason.ERROR_REASON_WAIT_CONFLICT, "wait_id", request.getWaitId());
    }
  }

  private static void answer(
      ModelSubmission submission,
      @org.jspecify.annotations.Nullable ModelWait there,
      ResumeSubmissionRequest request) {
    Wait.Builder told =
        there == null
            ? Wait.newBuilder()
                .setWaitId(request.getWaitId())
                .setQuestion(io.agentjournal.v1.Payload.getDefaultInstance())
            : there.told().toBuilder();
    told.setAnswer(request.getAnswer())
        .setAnsweredBy(request.getAnsweredBy())
        .setAnsweredAt(Told.TIME);
    submission.waits.put(
        request.getWaitId(),
        new ModelWait(
            told.build(),
            there == null ? 0 : there.suspension(),
            there == null ? 0 : there.position(),
            false));
  }
}

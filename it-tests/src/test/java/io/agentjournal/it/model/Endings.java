package io.agentjournal.it.model;

import io.agentjournal.v1.AbortRequested;
import io.agentjournal.v1.AttemptEnd;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.RequestAbortRequest;
import io.agentjournal.v1.RequestAbortResponse;
import io.agentjournal.v1.RequeueSubmissionRequest;
import io.agentjournal.v1.RequeueSubmissionResponse;
import io.agentjournal.v1.SettleSubmissionRequest;
import io.agentjournal.v1.SettleSubmissionResponse;
import io.agentjournal.v1.Settlement;
import io.agentjournal.v1.SettlementView;
import io.agentjournal.v1.StatusChanged;
import io.agentjournal.v1.StreamState;
import io.agentjournal.v1.SubmissionStatus;
import io.agentjournal.v1.ToolCall;
import io.agentjournal.v1.ToolCallState;
import io.agentjournal.v1.WatchSubmissionResponse;
import java.util.ArrayList;
import java.util.List;

/** What the contract says of settling, aborting and giving back. */
final class Endings {
  private Endings() {}

  static Answer settle(World world, SettleSubmissionRequest request) {
    ModelSubmission submission = world.submission(request.getAttempt().getSubmissionId());
    ModelSession session = world.sessionOf(submission);
    Transcript.Added added =
        Transcript.Added.by(
            request.getAttempt(),
            request.getEntriesList(),
            request.hasExpectedLeafId() ? request.getExpectedLeafId() : null,
            "");
    boolean isRepeat =
        isSettledBy(submission, request.getAttempt(), request.getSettlement())
            && Transcript.hasAll(session, added);
    if (!isRepeat) {
      submission.requireHeldBy(request.getAttempt().getAttemptId());
      ModelTurn slot = submission.slot();
      boolean isCompleted = request.getSettlement().getOutcome() == Outcome.OUTCOME_COMPLETED;
      if (isCompleted && slot != null && !slot.isCommitted()) {
        throw new Denied(ErrorReason.ERROR_REASON_ILLEGAL_PHASE);
      }
      Transcript.append(session, added);
      settle(world, submission, request.getSettlement(), request.getAttempt());
    }
    return Told.of(
        SettleSubmissionResponse.getDefaultInstance(),
        "applied",
        !isRepeat,
        "submission",
        submission.view());
  }

  static boolean isSettledBy(
      ModelSubmission submission, AttemptRef attempt, Settlement settlement) {
    return submission.isSettled()
        && submission.told.getSettlement().getSettledByAttemptId().equals(attempt.getAttemptId())
        && submission.settledAs.equals(settlement);
  }

  /** The named attempt does; the empty one: nobody's. */
  static void settle(
      World world, ModelSubmission submission, Settlement settlement, AttemptRef by) {
    SettlementView.Builder view =
        SettlementView.newBuilder()
            .setOutcome(settlement.getOutcome())
            .setResult(Submissions.view(settlement.getResult()))
            .setSettledByAttemptId(by.getAttemptId())
            .setSettledAt(Told.TIME)
            .addAllUnresolvedToolCallIds(unresolved(submission));
    if (settlement.hasFailure()) {
      view.setFailure(settlement.getFailure());
    }
    submission.release(
        AttemptEnd.ATTEMPT_END_SETTLED, "", SubmissionStatus.SUBMISSION_STATUS_SETTLED);
    submission.told = submission.told.toBuilder().setSettlement(view).build();
    submission.settledAs = settlement;
    world.sessionOf(submission).unsettled.remove(submission.id());
    ModelStream stream = world.streamOf(submission);
    if (stream != null && stream.isOpen()) {
      stream.end(StreamState.STREAM_STATE_FAILED, "settled");
    }
    world.tellStatus(submission, StatusChanged.newBuilder().setOutcome(settlement.getOutcome()));
  }

  private static List<String> unresolved(ModelSubmission submission) {
    ModelTurn slot = submission.slot();
    return slot == null
        ? List.of()
        : slot.slot.getCallsList().stream()
            .filter(call -> call.getState() == ToolCallState.TOOL_CALL_STATE_STARTED)
            .map(ToolCall::getToolCallId)
            .toList();
  }

  static void settleAborted(World world, ModelSubmission submission, String reason) {
    Settlement aborted =
        Settlement.newBuilder()
            .setOutcome(Outcome.OUTCOME_ABORTED)
            .setFailure(Failure.newBuilder().setCode("abort_requested").setMessage(reason))
            .build();
    settle(world, submission, aborted, AttemptRef.getDefaultInstance());
  }

  static Answer requestAbort(World world, RequestAbortRequest request) {
    List<String> stamped = new ArrayList<>();
    if (request.hasSubmissionId()) {
      abort(world, world.submission(request.getSubmissionId()), request.getReason(), stamped);
    } else {
      for (String id : List.copyOf(world.session(request.getSessionKey()).unsettled)) {
        abort(world, world.submission(id), request.getReason(), stamped);
      }
    }
    stamped.sort(null);
    return Told.of(RequestAbortResponse.getDefaultInstance(), "submission_ids", stamped);
  }

  private static void abort(
      World world, ModelSubmission submission, String reason, List<String> stamped) {
    if (submission.isSettled() || submission.told.hasAbortRequestedAt()) {
      return;
    }
    stamped.add(submission.id());
    submission.told =
        submission.told.toBuilder().setAbortRequestedAt(Told.TIME).setAbortReason(reason).build();
    world.tell(
        submission,
        WatchSubmissionResponse.newBuilder()
            .setAbortRequested(AbortRequested.newBuilder().setReason(reason)));
    if (!submission.isRunning()) {
      settleAborted(world, submission, reason);
      return;
    }
    ModelStream stream = world.streamOf(submission);
    if (stream != null && stream.isOpen()) {
      stream.abortRequested = true;
    }
  }

  static Answer requeue(World world, RequeueSubmissionRequest request) {
    String attemptId = request.getAttempt().getAttemptId();
    ModelSubmission submission = world.submission(request.getAttempt().getSubmissionId());
    boolean isRepeat =
        submission.markers.containsKey(attemptId)
            && submission.markers.get(attemptId).getEnd() == AttemptEnd.ATTEMPT_END_REQUEUED
            && submission.markers.get(attemptId).getReason().equals(request.getReason());
    if (!isRepeat) {
      submission.requireHeldBy(attemptId);
      if (submission.isInputApplied()) {
        throw new Denied(ErrorReason.ERROR_REASON_ILLEGAL_PHASE);
      }
      requeue(world, submission, request);
    }
    return Told.of(
        RequeueSubmissionResponse.getDefaultInstance(),
        "applied",
        !isRepeat,
        "submission",
        submission.view());
  }

  private static void requeue(
      World world, ModelSubmission submission, RequeueSubmissionRequest request) {
    if (submission.told.hasAbortRequestedAt()) {
      settleAborted(world, submission, request.getReason());
      return;
    }
    submission.release(
        AttemptEnd.ATTEMPT_END_REQUEUED,
        request.getReason(),
        SubmissionStatus.SUBMISSION_STATUS_QUEUED);
    submission.count(-1);
    submission.forgetRecovery();
    submission.delay =
        request.hasDelay() ? ModelSubmission.Delay.AHEAD : ModelSubmission.Delay.NONE;
    world.tellStatus(submission, StatusChanged.newBuilder());
  }
}

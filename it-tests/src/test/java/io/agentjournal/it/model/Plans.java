package io.agentjournal.it.model;

import io.agentjournal.v1.PlanRecoveryRequest;
import io.agentjournal.v1.PlanRecoveryResponse;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.RecoveryPlan;
import io.agentjournal.v1.StreamPlan;
import io.agentjournal.v1.StreamState;
import io.agentjournal.v1.ToolCall;
import io.agentjournal.v1.ToolPlan;
import io.agentjournal.v1.ToolVerdict;
import io.agentjournal.v1.TurnJournal;

/** What the contract says is to be done next. */
final class Plans {
  private Plans() {}

  static Answer planRecovery(World world, PlanRecoveryRequest request) {
    ModelSubmission submission = world.submission(request.getSubmissionId());
    return Told.of(
        PlanRecoveryResponse.getDefaultInstance(),
        "submission",
        submission.view(),
        "journal",
        Turns.journal(submission),
        "plan",
        plan(world, submission, request.getAttemptId(), false),
        "plan_without_lease",
        plan(world, submission, "", true));
  }

  /** For this attempt; with {@code leaseOver} as if nobody held it. */
  static RecoveryPlan plan(
      World world, ModelSubmission submission, String attemptId, boolean leaseOver) {
    boolean isHolder = !leaseOver && submission.isHeldBy(attemptId);
    boolean isHeldByAnother =
        submission.isRunning() && !leaseOver && !isHolder && !submission.isRecoverable();
    if (submission.isSettled() || isHeldByAnother) {
      return of(RecoveryAction.RECOVERY_ACTION_NOTHING);
    }
    ModelTurn turn = submission.slot();
    if (turn != null && turn.isCommitted() && turn.slot.getFinal()) {
      return of(RecoveryAction.RECOVERY_ACTION_SETTLE_COMPLETED);
    }
    if (submission.told.hasAbortRequestedAt()) {
      return of(RecoveryAction.RECOVERY_ACTION_SETTLE_ABORTED);
    }
    boolean needsAttempt = !isHolder && !submission.isWaiting();
    int attempts = submission.told.getAttemptCount() + submission.takeoverCost();
    if ((needsAttempt && attempts > submission.told.getMaxAttempts()) || submission.timeSpent) {
      return of(RecoveryAction.RECOVERY_ACTION_SETTLE_FAILED);
    }
    if (!submission.isRunning() && !world.isRunnable(submission)) {
      return of(RecoveryAction.RECOVERY_ACTION_NOTHING);
    }
    if (turn == null) {
      return of(
          submission.isInputApplied()
              ? RecoveryAction.RECOVERY_ACTION_BEGIN_TURN
              : RecoveryAction.RECOVERY_ACTION_APPLY_INPUT);
    }
    return ofTurn(world, turn.slot);
  }

  private static RecoveryPlan of(RecoveryAction action) {
    return RecoveryPlan.newBuilder().setAction(action).build();
  }

  private static RecoveryPlan ofTurn(World world, TurnJournal slot) {
    return switch (slot.getPhase()) {
      case TURN_PHASE_BEFORE_PROVIDER -> of(RecoveryAction.RECOVERY_ACTION_CALL_MODEL);
      case TURN_PHASE_PROVIDER_STARTED -> ofStream(world.stream(slot.getStreamKey()), slot);
      case TURN_PHASE_TOOL_REQUEST_RECORDED -> ofTools(slot);
      case TURN_PHASE_COMMITTED, TURN_PHASE_UNSPECIFIED, UNRECOGNIZED ->
          of(RecoveryAction.RECOVERY_ACTION_BEGIN_TURN).toBuilder()
              .setLeafId(slot.getCommittedLeafId())
              .build();
    };
  }

  private static RecoveryPlan ofStream(ModelStream stream, TurnJournal slot) {
    boolean isWhole =
        stream.told.getState() == StreamState.STREAM_STATE_COMPLETE || slot.hasStreamConsumedAt();
    RecoveryAction action = RecoveryAction.RECOVERY_ACTION_CONTINUE_STREAM;
    if (isWhole) {
      action = RecoveryAction.RECOVERY_ACTION_REPLAY_STREAM;
    } else if (stream.nextIndex() == 0) {
      action = RecoveryAction.RECOVERY_ACTION_CALL_MODEL_AGAIN;
    }
    return RecoveryPlan.newBuilder()
        .setAction(action)
        .setStream(
            StreamPlan.newBuilder()
                .setStreamKey(slot.getStreamKey())
                .setNextIndex(stream.nextIndex())
                .setOpen(stream.isOpen()))
        .build();
  }

  private static RecoveryPlan ofTools(TurnJournal slot) {
    RecoveryPlan.Builder plan =
        RecoveryPlan.newBuilder()
            .setAction(RecoveryAction.RECOVERY_ACTION_FINISH_TOOLS)
            .setLeafId(slot.getRequestLeafId());
    for (ToolCall call : slot.getCallsList()) {
      plan.addTools(
          ToolPlan.newBuilder()
              .setToolCallId(call.getToolCallId())
              .setName(call.getName())
              .setVerdict(verdict(call)));
    }
    return plan.build();
  }

  private static ToolVerdict verdict(ToolCall call) {
    return switch (call.getState()) {
      case TOOL_CALL_STATE_RESULT -> ToolVerdict.TOOL_VERDICT_HAS_RESULT;
      case TOOL_CALL_STATE_STARTED ->
          call.getRestartSafe()
              ? ToolVerdict.TOOL_VERDICT_RUN_AGAIN
              : ToolVerdict.TOOL_VERDICT_OUTCOME_UNKNOWN;
      case TOOL_CALL_STATE_RECORDED, TOOL_CALL_STATE_UNSPECIFIED, UNRECOGNIZED ->
          ToolVerdict.TOOL_VERDICT_NOT_STARTED;
    };
  }
}

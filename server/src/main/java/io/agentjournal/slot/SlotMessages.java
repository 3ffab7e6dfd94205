package io.agentjournal.slot;

import io.agentjournal.rpc.Times;
import io.agentjournal.v1.SubmissionKind;
import io.agentjournal.v1.ToolCallState;
import io.agentjournal.v1.ToolResultKind;
import io.agentjournal.v1.TurnPhase;

/** Turn journals as messages. */
public final class SlotMessages {
  private SlotMessages() {}

  public static io.agentjournal.v1.TurnJournal from(TurnJournal journal) {
    Slot slot = journal.slot();
    TurnFacts turn = slot.turn();
    io.agentjournal.v1.TurnJournal.Builder message =
        io.agentjournal.v1.TurnJournal.newBuilder()
            .setSubmissionId(slot.submission().id())
            .setSessionKey(slot.sessionKey())
            .setKind(SubmissionKind.valueOf("SUBMISSION_KIND_" + slot.kind()))
            .setOperationId(turn.begun().operationId())
            .setTurnId(turn.turnId())
            .setAttemptId(slot.attemptId())
            .setPhase(phase(turn.phase()))
            .setRevision(turn.revision())
            .setArgumentsOmitted(journal.argumentsOmitted())
            .setCreatedAt(Times.message(turn.begunAt()))
            .setUpdatedAt(Times.message(slot.updatedAt()));
    addTransitions(turn, message);
    for (ToolCall call : journal.calls()) {
      message.addCalls(from(call));
    }
    if (slot.traceparent() != null) {
      message.setTraceparent(slot.traceparent());
    }
    return message.build();
  }

  private static void addTransitions(
      TurnFacts turn, io.agentjournal.v1.TurnJournal.Builder message) {
    if (turn.started() != null) {
      message.setStreamKey(turn.started().streamKey());
    }
    if (turn.consumedAt() != null) {
      message.setStreamConsumedAt(Times.message(turn.consumedAt()));
    }
    TurnFacts.Requested requested = turn.requested();
    if (requested != null && requested.checkpointLeafId() != null) {
      message.setCheckpointLeafId(requested.checkpointLeafId());
    }
    if (requested != null && requested.requestLeafId() != null) {
      message.setRequestLeafId(requested.requestLeafId());
    }
    TurnFacts.Committed committed = turn.committed();
    if (committed != null) {
      message.setFinal(committed.isFinal());
      if (committed.leafId() != null) {
        message.setCommittedLeafId(committed.leafId());
      }
    }
  }

  public static TurnPhase phase(Phase phase) {
    return TurnPhase.valueOf("TURN_PHASE_" + phase.name());
  }

  /** Arguments that were not read are left out. */
  public static io.agentjournal.v1.ToolCall from(ToolCall call) {
    io.agentjournal.v1.ToolCall.Builder message =
        io.agentjournal.v1.ToolCall.newBuilder()
            .setToolCallId(call.toolCallId())
            .setName(call.name())
            .setRestartSafe(call.restartSafe())
            .setIdempotencyKey(call.idempotencyKey())
            .setState(ToolCallState.valueOf("TOOL_CALL_STATE_" + call.state().name()));
    if (call.arguments() != null) {
      message.setArguments(call.arguments());
    }
    if (call.startedBy() != null) {
      message.setStartedByAttemptId(call.startedBy());
    }
    if (call.startedAt() != null) {
      message.setStartedAt(Times.message(call.startedAt()));
    }
    if (call.resultKind() != null) {
      message.setResultKind(ToolResultKind.valueOf("TOOL_RESULT_KIND_" + call.resultKind()));
    }
    if (call.resultEntryId() != null) {
      message.setResultEntryId(call.resultEntryId());
    }
    if (call.endedAt() != null) {
      message.setEndedAt(Times.message(call.endedAt()));
    }
    return message.build();
  }
}

package io.agentjournal.it.model;

import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.NewToolCall;
import io.agentjournal.v1.ToolCall;
import io.agentjournal.v1.ToolCallState;
import io.agentjournal.v1.ToolCallUpdate;
import io.agentjournal.v1.ToolCallsChanged;
import io.agentjournal.v1.ToolRequest;
import io.agentjournal.v1.TurnPhase;
import io.agentjournal.v1.UpdateToolCallsRequest;
import io.agentjournal.v1.UpdateToolCallsResponse;
import io.agentjournal.v1.UpdateTurnJournalPhaseRequest;
import io.agentjournal.v1.WatchSubmissionResponse;
import java.util.ArrayList;
import java.util.List;

/** What the contract says of tool requests and tool calls. */
final class Tools {
  private Tools() {}

  /** False: it was recorded so already. */
  static boolean record(
      World world, ModelSubmission submission, UpdateTurnJournalPhaseRequest request) {
    ToolRequest tools = request.getToolRequestRecorded();
    AttemptRef attempt = request.getAttempt();
    ModelSession session = world.sessionOf(submission);
    List<NewToolCall> calls = new ArrayList<>();
    for (NewToolCall call : tools.getCallsList()) {
      calls.add(
          call.toBuilder()
              .setIdempotencyKey(
                  submission.id() + ":" + request.getTurnId() + ":" + call.getToolCallId())
              .build());
    }
    Transcript.Added added =
        Transcript.Added.by(
            attempt,
            tools.getEntriesList(),
            tools.hasExpectedLeafId() ? tools.getExpectedLeafId() : null,
            request.getTurnId());
    ModelTurn known = submission.turns.get(request.getTurnId());
    if (known != null
        && known.requestedBy.equals(attempt.getAttemptId())
        && known.request.equals(calls)
        && (!tools.hasCheckpointLeafId()
            || tools.getCheckpointLeafId().equals(known.slot.getCheckpointLeafId()))
        && Streams.hasSegments(
            world,
            known.slot.getStreamKey(),
            tools.hasExpectedNextIndex(),
            tools.getExpectedNextIndex())
        && Transcript.hasAll(session, added)) {
      return false;
    }
    ModelTurn turn =
        Turns.require(
            submission, attempt, request.getTurnId(), TurnPhase.TURN_PHASE_PROVIDER_STARTED);
    String checkpoint = tools.hasCheckpointLeafId() ? tools.getCheckpointLeafId() : session.leafId;
    Transcript.requireEntry(session, checkpoint);
    Transcript.append(session, added);
    turn.requestedBy = attempt.getAttemptId();
    turn.request = List.copyOf(calls);
    int entries = tools.getEntriesCount();
    turn.slot =
        turn.slot.toBuilder()
            .setPhase(TurnPhase.TURN_PHASE_TOOL_REQUEST_RECORDED)
            .setCheckpointLeafId(checkpoint)
            .setRequestLeafId(
                entries == 0 ? session.leafId : tools.getEntries(entries - 1).getEntryId())
            .addAllCalls(calls.stream().map(Tools::recorded).toList())
            .build();
    Streams.complete(
        world.stream(turn.slot.getStreamKey()),
        tools.hasExpectedNextIndex(),
        tools.getExpectedNextIndex());
    tell(world, submission, turn, calls.stream().map(NewToolCall::getToolCallId).toList());
    return true;
  }

  /** As they are by now. */
  private static void tell(
      World world, ModelSubmission submission, ModelTurn turn, List<String> callIds) {
    ToolCallsChanged.Builder changed = ToolCallsChanged.newBuilder().setTurnId(turn.id());
    turn.slot.getCallsList().stream()
        .filter(call -> callIds.contains(call.getToolCallId()))
        .forEach(call -> changed.addCalls(call.toBuilder().clearArguments()));
    world.tell(submission, WatchSubmissionResponse.newBuilder().setToolCallsChanged(changed));
  }

  private static ToolCall recorded(NewToolCall call) {
    return ToolCall.newBuilder()
        .setToolCallId(call.getToolCallId())
        .setName(call.getName())
        .setArguments(call.getArguments())
        .setRestartSafe(call.getRestartSafe())
        .setIdempotencyKey(call.getIdempotencyKey())
        .setState(ToolCallState.TOOL_CALL_STATE_RECORDED)
        .build();
  }

  static Answer update(World world, UpdateToolCallsRequest request) {
    ModelSubmission submission = world.submission(request.getAttempt().getSubmissionId());
    ModelSession session = world.sessionOf(submission);
    boolean hasResult = request.getUpdatesList().stream().anyMatch(ToolCallUpdate::hasResult);
    if (request.getUpdatesList().stream().anyMatch(ToolCallUpdate::hasStarted)) {
      submission.requireHeldBy(request.getAttempt().getAttemptId());
    }
    List<ToolCallUpdate> open =
        request.getUpdatesList().stream()
            .filter(update -> !isRecorded(submission, session, request, update))
            .toList();
    boolean applied = false;
    if (!open.isEmpty()) {
      ModelTurn turn =
          Turns.require(
              submission,
              request.getAttempt(),
              request.getTurnId(),
              TurnPhase.TURN_PHASE_TOOL_REQUEST_RECORDED);
      List<String> changed = write(turn, session, request, open, hasResult);
      applied = !changed.isEmpty();
      if (applied) {
        tell(world, submission, turn, changed);
      }
    }
    return Told.of(
        UpdateToolCallsResponse.getDefaultInstance(),
        "applied",
        applied,
        "journal",
        Turns.journal(submission),
        "leaf_id",
        hasResult ? session.leafId : null);
  }

  /** By this attempt, just so. */
  private static boolean isRecorded(
      ModelSubmission submission,
      ModelSession session,
      UpdateToolCallsRequest request,
      ToolCallUpdate update) {
    ModelTurn turn = submission.turns.get(request.getTurnId());
    ToolCall call = turn == null ? null : turn.call(update.getToolCallId());
    if (turn == null || call == null) {
      return false;
    }
    String attemptId = request.getAttempt().getAttemptId();
    if (update.hasStarted()) {
      return attemptId.equals(call.getStartedByAttemptId());
    }
    return attemptId.equals(turn.resultBy.get(call.getToolCallId()))
        && hasResult(call, session, request, update);
  }

  private static boolean hasResult(
      ToolCall call, ModelSession session, UpdateToolCallsRequest request, ToolCallUpdate update) {
    return call.getState() == ToolCallState.TOOL_CALL_STATE_RESULT
        && call.getResultKind() == update.getResult().getKind()
        && call.getResultEntryId().equals(update.getResult().getEntry().getEntryId())
        && Transcript.hasAll(session, added(request, List.of(update)));
  }

  private static Transcript.Added added(
      UpdateToolCallsRequest request, List<ToolCallUpdate> updates) {
    List<NewEntry> entries =
        updates.stream()
            .filter(ToolCallUpdate::hasResult)
            .map(
                update ->
                    update.getResult().getEntry().toBuilder()
                        .setToolCallId(update.getToolCallId())
                        .build())
            .toList();
    return Transcript.Added.by(
        request.getAttempt(),
        entries,
        request.hasExpectedLeafId() ? request.getExpectedLeafId() : null,
        request.getTurnId());
  }

  /** Answers with the ids of the calls that changed. */
  private static List<String> write(
      ModelTurn turn,
      ModelSession session,
      UpdateToolCallsRequest request,
      List<ToolCallUpdate> open,
      boolean hasResult) {
    List<ToolCallUpdate> changes = new ArrayList<>();
    for (ToolCallUpdate update : open) {
      ToolCall call = turn.call(update.getToolCallId());
      if (call == null) {
        throw new Denied(
            ErrorReason.ERROR_REASON_TOOL_CALL_NOT_FOUND, "tool_call_id", update.getToolCallId());
      }
      if (update.hasStarted()) {
        requireStartable(call);
        changes.add(update);
      } else if (call.getState() != ToolCallState.TOOL_CALL_STATE_RESULT) {
        changes.add(update);
      } else if (!hasResult(call, session, request, update)) {
        throw new Denied(
            ErrorReason.ERROR_REASON_TOOL_RESULT_CONFLICT, "tool_call_id", update.getToolCallId());
      }
    }
    changes.forEach(update -> change(turn, request.getAttempt(), update));
    if (hasResult) {
      Transcript.append(session, added(request, changes));
    }
    return changes.stream().map(ToolCallUpdate::getToolCallId).toList();
  }

  private static void requireStartable(ToolCall call) {
    boolean isAgain =
        call.getState() == ToolCallState.TOOL_CALL_STATE_STARTED && call.getRestartSafe();
    if (call.getState() != ToolCallState.TOOL_CALL_STATE_RECORDED && !isAgain) {
      throw new Denied(ErrorReason.ERROR_REASON_ILLEGAL_PHASE);
    }
  }

  private static void change(ModelTurn turn, AttemptRef attempt, ToolCallUpdate update) {
    ToolCall call = turn.call(update.getToolCallId());
    if (call == null) {
      return;
    }
    if (update.hasStarted()) {
      turn.set(
          call.toBuilder()
              .setState(ToolCallState.TOOL_CALL_STATE_STARTED)
              .setStartedByAttemptId(attempt.getAttemptId())
              .setStartedAt(Told.TIME)
              .build());
    } else {
      turn.resultBy.put(call.getToolCallId(), attempt.getAttemptId());
      turn.set(
          call.toBuilder()
              .setState(ToolCallState.TOOL_CALL_STATE_RESULT)
              .setResultKind(update.getResult().getKind())
              .setResultEntryId(update.getResult().getEntry().getEntryId())
              .setEndedAt(Told.TIME)
              .build());
    }
  }
}

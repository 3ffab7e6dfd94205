package io.agentjournal.event;

import com.google.protobuf.ByteString;
import io.agentjournal.event.Event.AbortRequested;
import io.agentjournal.event.Event.StatusChanged;
import io.agentjournal.event.Event.StreamOpened;
import io.agentjournal.event.Event.TakenOver;
import io.agentjournal.event.Event.ToolCallsChanged;
import io.agentjournal.event.Event.TurnBegun;
import io.agentjournal.event.Event.TurnCommitted;
import io.agentjournal.slot.SlotMessages;
import io.agentjournal.slot.ToolCall;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.SubmissionStatus;
import io.agentjournal.v1.WatchSubmissionResponse;

/** Events as they are sent, which is also how they are stored. */
final class EventMessages {
  private EventMessages() {}

  /** The name of the message's field that holds the event. */
  static String kind(Event event) {
    return message(event).getEventCase().name();
  }

  static ByteString stored(Event event) {
    return message(event).toByteString();
  }

  private static WatchSubmissionResponse message(Event event) {
    WatchSubmissionResponse.Builder message = WatchSubmissionResponse.newBuilder();
    if (event instanceof StatusChanged changed) {
      message.setStatusChanged(from(changed));
    } else if (event instanceof TakenOver taken) {
      message.setTakenOver(
          io.agentjournal.v1.TakenOver.newBuilder()
              .setAttemptId(taken.attemptId())
              .setOwner(taken.owner()));
    } else if (event instanceof TurnBegun begun) {
      message.setTurnBegun(
          io.agentjournal.v1.TurnBegun.newBuilder()
              .setTurnId(begun.turnId())
              .setOperationId(begun.operationId())
              .setRevision(begun.revision()));
    } else if (event instanceof StreamOpened opened) {
      message.setStreamOpened(
          io.agentjournal.v1.StreamOpened.newBuilder()
              .setTurnId(opened.turnId())
              .setStreamKey(opened.stream().key())
              .setContentType(opened.contentType()));
    } else if (event instanceof ToolCallsChanged changed) {
      message.setToolCallsChanged(from(changed));
    } else if (event instanceof TurnCommitted committed) {
      message.setTurnCommitted(
          io.agentjournal.v1.TurnCommitted.newBuilder()
              .setTurnId(committed.turnId())
              .setCommittedLeafId(committed.leafId() == null ? "" : committed.leafId()));
    } else if (event instanceof AbortRequested requested) {
      message.setAbortRequested(
          io.agentjournal.v1.AbortRequested.newBuilder().setReason(requested.reason()));
    }
    return message.build();
  }

  private static io.agentjournal.v1.StatusChanged from(StatusChanged changed) {
    io.agentjournal.v1.StatusChanged.Builder message =
        io.agentjournal.v1.StatusChanged.newBuilder()
            .setStatus(SubmissionStatus.valueOf("SUBMISSION_STATUS_" + changed.status()))
            .addAllWaitIds(changed.waitIds());
    if (changed.outcome() != null) {
      message.setOutcome(Outcome.valueOf("OUTCOME_" + changed.outcome()));
    }
    return message.build();
  }

  private static io.agentjournal.v1.ToolCallsChanged from(ToolCallsChanged changed) {
    io.agentjournal.v1.ToolCallsChanged.Builder message =
        io.agentjournal.v1.ToolCallsChanged.newBuilder().setTurnId(changed.turnId());
    for (ToolCall call : changed.calls()) {
      message.addCalls(SlotMessages.from(call).toBuilder().clearArguments());
    }
    return message.build();
  }
}

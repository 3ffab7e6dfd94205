package io.agentjournal.event;

import io.agentjournal.v1.StatusChanged;
import io.agentjournal.v1.StreamEnded;
import io.agentjournal.v1.ToolCallsChanged;
import io.agentjournal.v1.WatchSubmissionResponse;
import java.util.stream.Collectors;

/** What a message of WatchSubmission tells, in few words; of a stream its last id but one. */
final class EventText {
  private EventText() {}

  static String of(WatchSubmissionResponse message) {
    return switch (message.getEventCase()) {
      case STATUS_CHANGED -> status(message.getStatusChanged());
      case TAKEN_OVER ->
          "taken over by "
              + message.getTakenOver().getAttemptId()
              + " of "
              + message.getTakenOver().getOwner();
      case TURN_BEGUN ->
          "turn " + message.getTurnBegun().getTurnId() + " " + message.getTurnBegun().getRevision();
      case STREAM_OPENED -> "opened " + turn(message.getStreamOpened().getStreamKey());
      case SEGMENTS ->
          message.getSegments().getRun().getSegmentsList().stream()
              .map(segment -> segment.getText())
              .collect(
                  Collectors.joining(
                      "", message.getSegments().getRun().getFirstIndex() + "'", "'"));
      case STREAM_ENDED -> ended(message.getStreamEnded());
      case TOOL_CALLS_CHANGED -> calls(message.getToolCallsChanged());
      case TURN_COMMITTED -> "committed " + message.getTurnCommitted().getTurnId();
      case ABORT_REQUESTED -> "abort " + message.getAbortRequested().getReason();
      case CAUGHT_UP -> "caught up";
      case HEARTBEAT -> "heartbeat";
      case END ->
          "end " + message.getEnd().getReason().name().substring("WATCH_END_REASON_".length());
      case EVENT_NOT_SET -> throw new AssertionError(message);
    };
  }

  private static String status(StatusChanged changed) {
    String status = changed.getStatus().name().substring("SUBMISSION_STATUS_".length());
    String outcome =
        changed.getOutcomeValue() == 0
            ? ""
            : " " + changed.getOutcome().name().substring("OUTCOME_".length());
    String waits =
        changed.getWaitIdsCount() == 0 ? "" : " for " + String.join(",", changed.getWaitIdsList());
    return status + outcome + waits;
  }

  private static String ended(StreamEnded ended) {
    String state = ended.getState().name().substring("STREAM_STATE_".length());
    return "ended "
        + turn(ended.getStreamKey())
        + " "
        + (state + " " + ended.getFinishReason()).strip();
  }

  private static String calls(ToolCallsChanged changed) {
    return changed.getCallsList().stream()
        .map(
            call ->
                call.getToolCallId()
                    + "="
                    + call.getState().name().substring("TOOL_CALL_STATE_".length()))
        .collect(Collectors.joining(" ", "calls " + changed.getTurnId() + " ", ""));
  }

  private static String turn(String streamKey) {
    String[] ids = streamKey.split(":", -1);
    return ids.length < 2 ? streamKey : ids[ids.length - 2];
  }
}

package io.agentjournal.event;

import io.agentjournal.key.StreamKey;
import io.agentjournal.slot.ToolCall;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something that happened to a submission. */
public sealed interface Event {
  /**
   * It is in another state, or waits for something else.
   *
   * @param status QUEUED, RUNNING, WAITING or SETTLED
   * @param outcome when SETTLED: COMPLETED, FAILED or ABORTED
   * @param waitIds when WAITING: what has no answer yet
   */
  record StatusChanged(String status, @Nullable String outcome, List<String> waitIds)
      implements Event {
    public StatusChanged {
      waitIds = List.copyOf(waitIds);
    }

    public static StatusChanged to(String status) {
      return new StatusChanged(status, null, List.of());
    }
  }

  /** An attempt has it from another one. */
  record TakenOver(String attemptId, String owner) implements Event {}

  record TurnBegun(String turnId, String operationId, long revision) implements Event {}

  /** The model is asked. The stream is the submission's until the next one is opened. */
  record StreamOpened(String turnId, StreamKey stream, String contentType) implements Event {}

  /**
   * Tool calls were recorded, started, or have results.
   *
   * @param calls as they are from now on, in the order of the request; at least one
   */
  record ToolCallsChanged(String turnId, List<ToolCall> calls) implements Event {
    public ToolCallsChanged {
      calls = List.copyOf(calls);
      if (calls.isEmpty()) {
        throw new IllegalArgumentException("no call of turn " + turnId + " changed");
      }
    }
  }

  /**
   * The turn is frozen.
   *
   * @param leafId null: the transcript has no entry
   */
  record TurnCommitted(String turnId, @Nullable String leafId) implements Event {}

  record AbortRequested(String reason) implements Event {}
}

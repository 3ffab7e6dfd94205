package io.agentjournal.it.agent;

import io.agentjournal.v1.ToolCall;

/** What the model may have done in the world. Called on the worker's threads. */
public interface Tools {
  /**
   * Runs a call and returns its result. Of one that is restart_safe the same may have been run
   * before, under the same idempotency key.
   */
  String run(ToolCall call) throws Exception;
}

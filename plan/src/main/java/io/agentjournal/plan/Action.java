package io.agentjournal.plan;

/** RecoveryAction of plan.proto, without its prefix. */
public enum Action {
  NOTHING,
  SETTLE_COMPLETED,
  SETTLE_ABORTED,
  SETTLE_FAILED,
  APPLY_INPUT,
  BEGIN_TURN,
  CALL_MODEL,
  REPLAY_STREAM,
  CONTINUE_STREAM,
  CALL_MODEL_AGAIN,
  FINISH_TOOLS
}

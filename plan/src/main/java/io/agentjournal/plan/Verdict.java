package io.agentjournal.plan;

/** ToolVerdict of plan.proto, without its prefix. */
public enum Verdict {
  HAS_RESULT,
  NOT_STARTED,
  RUN_AGAIN,
  OUTCOME_UNKNOWN
}

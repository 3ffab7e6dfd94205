package io.agentjournal.submission;

/** As stored in submissions.outcome. */
public enum Outcome {
  COMPLETED,
  FAILED,
  ABORTED
}

package io.agentjournal.run;

/** As stored in runs.status. */
enum RunStatus {
  /** Has events, but nobody has opened it: it is shown by no call. */
  UNOPENED,
  RUNNING,
  DONE,
  SUCCEEDED,
  FAILED,
  CANCELLED;

  /** What a run that was closed with this word is. */
  static RunStatus ofOutcome(String outcome) {
    return switch (outcome) {
      case "succeeded" -> SUCCEEDED;
      case "failed" -> FAILED;
      case "cancelled" -> CANCELLED;
      default -> DONE;
    };
  }
}

package io.agentjournal.submission;

/** As stored in submissions.kind. */
public enum SubmissionKind {
  DISPATCH,
  DIRECT
}

package io.agentjournal.submission;

/** As stored in submissions.status. */
public enum SubmissionStatus {
  QUEUED,
  RUNNING,
  WAITING,
  SETTLED
}

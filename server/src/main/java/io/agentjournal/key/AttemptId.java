package io.agentjournal.key;

/** The write token: holds while the submission is RUNNING under exactly this attempt. */
public record AttemptId(SubmissionId submission, String id) {
  public AttemptId {
    Identifier.check("attempt_id", id);
  }

  public Namespace namespace() {
    return submission.namespace();
  }
}

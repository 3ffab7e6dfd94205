package io.agentjournal.key;

public record SubmissionId(Namespace namespace, String id) {
  public SubmissionId {
    Identifier.check("submission_id", id);
  }
}

package io.agentjournal.key;

public record RunId(Namespace namespace, String id) {
  public RunId {
    Identifier.check("run_id", id);
  }
}

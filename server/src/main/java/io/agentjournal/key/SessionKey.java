package io.agentjournal.key;

public record SessionKey(Namespace namespace, String key) {
  public SessionKey {
    Identifier.check("session_key", key);
  }
}

package io.agentjournal.key;

/** A tenant. Every other key is unique within it. */
public record Namespace(String name) {
  public static final Namespace DEFAULT = new Namespace("default");

  public Namespace {
    Identifier.check("agentjournal-namespace", name);
  }
}

package io.agentjournal.client;

/**
 * A tool call as it is recorded before it is made.
 *
 * @param name of the tool; part of the idempotency key
 * @param argumentsJson JSON text
 * @param isRestartSafe whether it may be called again when nobody knows whether it was
 */
public record RunTool(String name, String argumentsJson, boolean isRestartSafe) {
  /** One that is not called again unless its result says that it was not. */
  public static RunTool of(String name, String argumentsJson) {
    return new RunTool(name, argumentsJson, false);
  }

  /** One that may be called twice, or that keeps idempotency keys. */
  public RunTool restartSafe() {
    return new RunTool(name, argumentsJson, true);
  }
}

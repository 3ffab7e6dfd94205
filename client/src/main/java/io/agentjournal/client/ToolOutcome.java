package io.agentjournal.client;

/** What became of a tool call. */
public sealed interface ToolOutcome {
  /** The tool's answer, now or in an earlier life of the run: JSON text. */
  record Result(String json) implements ToolOutcome {}

  /**
   * The call was recorded as made, and the process died before it recorded a result: it may or may
   * not have had its effect. Recorded once, and the same on every replay. Ask the world.
   */
  record Unknown(String idempotencyKey) implements ToolOutcome {}
}

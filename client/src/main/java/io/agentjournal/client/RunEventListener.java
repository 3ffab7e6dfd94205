package io.agentjournal.client;

/**
 * Told what becomes of a writer's events, one call after the other, on a thread of the client. Must
 * neither block nor call a method of the writer that blocks.
 */
public interface RunEventListener {
  /** The first {@code events} events of the writer are durable. Grows. */
  default void durable(long events) {}

  /**
   * Something was recorded in the place of the writer's event of that number, and stays: of {@code
   * keepFirst} perhaps something else. After a cut it may be this very event, sent before. Told
   * before {@link #durable} covers it.
   */
  default void recordedAlready(long number) {}

  /** The writer is of no more use: stop the agent. Once, and nothing after it. */
  default void failed(JournalException failure) {}
}

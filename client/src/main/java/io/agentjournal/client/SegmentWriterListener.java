package io.agentjournal.client;

/**
 * Told what becomes of a writer's stream, one call after the other, on a thread of the client. Must
 * neither block nor call a method of the writer that blocks.
 */
public interface SegmentWriterListener {
  /** Segments below {@code nextIndex} are durable: what was held back may be shown. Grows. */
  default void durable(long nextIndex) {}

  /** Somebody asks to stop the submission. Once. */
  default void abortRequested() {}

  /**
   * The writer is of no more use: stop the model. The next call of the writer throws the same.
   * Once, and nothing after it.
   */
  default void failed(JournalException failure) {}
}

package io.agentjournal.client;

/**
 * Told what a worker meets, on its threads; several at once, if it handles several. Must not block.
 */
public interface WorkerListener {
  /** Before the handler is called. */
  default void claimed(ClaimedSubmission claimed) {}

  /**
   * The submission was lost while it was handled, and the handler has ended. Nothing was written.
   */
  default void lost(ClaimedSubmission claimed, JournalException why) {}

  /**
   * The handler threw, or its outcome was refused.
   *
   * @param next what is done about it
   */
  default void failed(ClaimedSubmission claimed, Throwable thrown, WorkOutcome next) {}

  /** The handler's outcome is written. */
  default void concluded(ClaimedSubmission claimed, WorkOutcome outcome) {}

  /**
   * Nothing could be claimed for as long as the client was told to try. The worker goes on trying.
   */
  default void unavailable(JournalException why) {}
}

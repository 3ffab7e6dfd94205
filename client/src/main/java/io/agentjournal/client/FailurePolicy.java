package io.agentjournal.client;

/**
 * What becomes of a submission whose handler threw, while the submission was held and nobody had
 * asked to stop. Called on the handler's thread; must not throw.
 */
@FunctionalInterface
public interface FailurePolicy {
  /**
   * The default: nothing is written, the lease runs out, another attempt goes on from what is
   * stored. It is safe whatever the exception means: it may have come from the model, from a tool
   * or from the journal, and what was stored before it stays. A submission that makes every handler
   * throw is settled FAILED by the server when its attempts are spent.
   */
  FailurePolicy LET_GO = (thrown, claimed) -> WorkOutcome.letGo();

  /** Settles FAILED at once, for handlers that catch by themselves what may be tried again. */
  FailurePolicy SETTLE_FAILED =
      (thrown, claimed) -> WorkOutcome.failed("handler_threw", thrown.getClass().getName());

  WorkOutcome after(Throwable thrown, ClaimedSubmission claimed);
}

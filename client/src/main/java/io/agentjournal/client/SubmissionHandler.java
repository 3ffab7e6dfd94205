package io.agentjournal.client;

/**
 * Does the work of one claimed submission, in whatever state another one has left it: what is next
 * stands in its plan.
 *
 * <p>Called on a thread of the worker, for up to {@code concurrency} submissions at once. May block
 * for as long as it needs: the lease is renewed meanwhile. The thread is interrupted the moment the
 * submission is lost, its abort is requested, or the worker closes and will not wait any longer;
 * the handler then ends soon, by an outcome or by throwing whatever it gets.
 */
@FunctionalInterface
public interface SubmissionHandler {
  WorkOutcome handle(ClaimedSubmission claimed) throws Exception;
}

package io.agentjournal.client;

/**
 * What is done once in a run's life: a model call, a tool, a question to a person.
 *
 * @param <E> what it throws; {@link RuntimeException} where it declares nothing
 */
@FunctionalInterface
public interface RunStep<E extends Exception> {
  /**
   * Does it and answers what is to be recorded: JSON text.
   *
   * @param idempotencyKey the same in every process that ever does this step: hand it on to those
   *     who keep such keys, and the effect is theirs to have once
   */
  String run(String idempotencyKey) throws E;
}

package io.agentjournal.it.benchmark;

/** Somebody who takes part, as one or more processes of their own. */
interface Participant extends AutoCloseable {
  /** Ends the processes. */
  @Override
  void close();
}

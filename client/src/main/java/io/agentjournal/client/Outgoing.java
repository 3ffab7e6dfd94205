package io.agentjournal.client;

/** What a writer keeps until it is durable. */
interface Outgoing {
  /** What it takes of the writer's window. */
  int windowBytes();
}

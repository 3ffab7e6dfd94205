package io.agentjournal.client;

/** A writer's life. WRITING and ENDING may go to FAILED. */
enum WriterPhase {
  OPENING,
  WRITING,
  ENDING,
  ENDED,
  FAILED
}

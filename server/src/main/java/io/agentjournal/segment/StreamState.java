package io.agentjournal.segment;

/** As stored in streams.state. */
public enum StreamState {
  OPEN,
  COMPLETE,
  FAILED,
  SUPERSEDED,
  DELETED
}

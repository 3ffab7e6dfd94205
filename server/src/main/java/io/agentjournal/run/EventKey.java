package io.agentjournal.run;

/** What tells an event from the others of its run. */
record EventKey(long seq, EventKind kind) {
  @Override
  public String toString() {
    return seq + ":" + kind.word();
  }
}

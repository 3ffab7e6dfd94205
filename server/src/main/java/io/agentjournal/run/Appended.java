package io.agentjournal.run;

/** What became of the events of one append. */
record Appended(int inserted, int replaced, int unchanged) {
  boolean changedAnything() {
    return inserted + replaced > 0;
  }
}

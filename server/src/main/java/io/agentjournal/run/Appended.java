package io.agentjournal.run;

import java.util.List;

/**
 * What became of the events of one append.
 *
 * @param unchanged which of its events were recorded already: equal, or kept; ascending
 */
record Appended(int inserted, int replaced, List<Integer> unchanged) {
  boolean changedAnything() {
    return inserted + replaced > 0;
  }
}

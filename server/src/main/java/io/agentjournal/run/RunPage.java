package io.agentjournal.run;

import java.util.List;

/**
 * A page may be shorter than was asked for and yet not the last: large metadata fill it earlier.
 */
record RunPage(List<Run> runs, boolean hasMore) {
  RunPage {
    runs = List.copyOf(runs);
  }
}

package io.agentjournal.it.kill;

import io.agentjournal.it.Summary;

/** What a kill test counts. Used by one thread. */
final class Findings {
  long serverKills;
  long postgresKills;
  long writerKills;
  long inFlight;
  long resentBelowNextIndex;
  long acknowledged;
  long lost;
  long duplicated;
  long changed;

  long kills() {
    return serverKills + postgresKills + writerKills;
  }

  void write() {
    System.out.printf(
        "killed: the server %d times, the server and its PostgreSQL %d times, the writer %d times%n",
        serverKills, postgresKills, writerKills);
    new Summary("kill")
        .put("kills", kills())
        .put("in_flight", inFlight)
        .put("resent_below_next_index", resentBelowNextIndex)
        .put("acknowledged", acknowledged)
        .put("lost", lost)
        .put("duplicated", duplicated)
        .put("changed", changed)
        .write();
  }
}

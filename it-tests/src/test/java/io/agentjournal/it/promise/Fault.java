package io.agentjournal.it.promise;

/** What is done to an agent, to its network, or to the journal. */
enum Fault {
  KILL_AGENT_AT_A_BOUNDARY,
  KILL_AGENT,
  FREEZE_AGENT,
  CUT,
  RESET,
  BLACKHOLE,
  LOST_ANSWERS,
  DELAY,
  KILL_SERVER,
  KILL_SERVER_AND_POSTGRES
}

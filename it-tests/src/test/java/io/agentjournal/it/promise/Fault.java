package io.agentjournal.it.promise;

/** What is done to an agent, to its network, or to the journal. */
enum Fault {
  KILL_AGENT_AT_A_BOUNDARY(9),
  KILL_AGENT(3),
  FREEZE_AGENT(3),
  CUT(3),
  RESET(3),
  BLACKHOLE(2),
  LOST_ANSWERS(2),
  DELAY(2),
  KILL_SERVER(1),
  KILL_POSTGRES(1),
  KILL_SERVER_AND_POSTGRES(1);

  private final int share;

  Fault(int share) {
    this.share = share;
  }

  /** How often, of thirty. */
  int share() {
    return share;
  }
}

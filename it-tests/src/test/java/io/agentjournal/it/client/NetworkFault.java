package io.agentjournal.it.client;

/** What happens to the connections that a client has now. New ones work. */
enum NetworkFault {
  CUT,
  RESET,
  BLACKHOLE,
  LOST_ANSWERS;

  void strike(UnreliableNetwork network) {
    switch (this) {
      case CUT -> network.cut();
      case RESET -> network.reset();
      case BLACKHOLE -> network.blackhole();
      case LOST_ANSWERS -> network.swallowAnswers();
    }
  }
}

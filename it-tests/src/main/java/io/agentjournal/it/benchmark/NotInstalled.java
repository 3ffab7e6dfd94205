package io.agentjournal.it.benchmark;

/** Somebody who cannot take part on this machine. */
final class NotInstalled extends Exception {
  private static final long serialVersionUID = 1;

  private final String why;

  NotInstalled(String why) {
    super(why);
    this.why = why;
  }

  String why() {
    return why;
  }
}

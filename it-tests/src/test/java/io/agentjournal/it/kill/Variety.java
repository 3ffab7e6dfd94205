package io.agentjournal.it.kill;

/** How the streams of one process differ, by their number. */
final class Variety {
  private Variety() {}

  /** Written as text, else as bytes. */
  static boolean isText(int stream) {
    return (stream & 1) == 0;
  }

  /** By a writer that names its epoch, else by one that says nothing of itself. */
  static boolean isFenced(int stream) {
    return (stream & 2) == 0;
  }
}

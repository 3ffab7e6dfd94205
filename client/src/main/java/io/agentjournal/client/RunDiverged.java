package io.agentjournal.client;

/** A replay asks for another step than the one that is recorded in its place. */
public final class RunDiverged extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RunDiverged(String message) {
    super(message);
  }
}

package io.agentjournal.database;

/**
 * The server cannot start here, for a reason that its operator can mend. The message is all that is
 * shown: it names the setting, the file or the process.
 */
public final class StartRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StartRefused(String message) {
    super(message);
  }

  public StartRefused(String message, Throwable cause) {
    super(message, cause);
  }
}

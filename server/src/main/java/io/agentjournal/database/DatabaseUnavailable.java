package io.agentjournal.database;

import org.jspecify.annotations.Nullable;

/**
 * The database could not be asked, or did not answer. Unless {@link #outcomeUnknown()}, nothing was
 * changed. Callers of the server see UNAVAILABLE and repeat the call.
 */
public final class DatabaseUnavailable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean outcomeUnknown;

  private DatabaseUnavailable(String message, boolean outcomeUnknown, @Nullable Throwable cause) {
    super(message, cause);
    this.outcomeUnknown = outcomeUnknown;
  }

  static DatabaseUnavailable nothingChanged(String transaction, Throwable cause) {
    return new DatabaseUnavailable(
        "transaction " + transaction + " was not carried out: " + cause.getMessage(), false, cause);
  }

  static DatabaseUnavailable outcomeUnknown(String transaction, Throwable cause) {
    return new DatabaseUnavailable(
        "the outcome of transaction " + transaction + " is unknown: " + cause.getMessage(),
        true,
        cause);
  }

  /**
   * True where the connection was lost between asking for the commit and learning of it: the
   * transaction may stand or not. It must be reported as neither.
   */
  public boolean outcomeUnknown() {
    return outcomeUnknown;
  }
}

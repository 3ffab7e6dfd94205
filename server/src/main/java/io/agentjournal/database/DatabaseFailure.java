package io.agentjournal.database;

import java.sql.SQLException;

/**
 * A statement failed in a way that no caller can mend: a bug here, or data that does not fit its
 * column. The transaction was rolled back.
 */
public final class DatabaseFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String sqlState;

  DatabaseFailure(String transaction, SQLException cause) {
    super("transaction " + transaction + " failed: " + cause.getMessage(), cause);
    String state = cause.getSQLState();
    this.sqlState = state == null ? "" : state;
  }

  /** Five characters as PostgreSQL defines them, or empty where the driver itself failed. */
  public String sqlState() {
    return sqlState;
  }
}

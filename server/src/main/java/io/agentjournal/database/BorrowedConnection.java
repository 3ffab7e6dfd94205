package io.agentjournal.database;

import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection for the length of one transaction. {@link #close} returns it or throws it away. */
final class BorrowedConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BorrowedConnection.class);

  private final Database database;
  private final Connection connection;
  private boolean doubtful;

  /** Blocks until there is one, for as long as the pool lets it. */
  BorrowedConnection(Database database) throws SQLException {
    this.database = database;
    this.connection = database.connection();
  }

  Connection connection() {
    return connection;
  }

  /** A connection that is lost, or cannot even do this, is not used again. */
  void rollBack(Throwable reason) {
    doubtful = reason instanceof SQLException sql && SqlState.of(sql).spoilsConnection();
    try {
      connection.rollback();
    } catch (SQLException e) {
      reason.addSuppressed(e);
      doubtful = true;
    }
  }

  /** What goes wrong here is the connection's matter and no longer the transaction's. */
  @Override
  public void close() {
    if (doubtful) {
      database.discard(connection);
      return;
    }
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.warn("A connection could not be given back", e);
    }
  }
}

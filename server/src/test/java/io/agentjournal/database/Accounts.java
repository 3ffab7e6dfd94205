package io.agentjournal.database;

import io.agentjournal.testing.TestPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Two accounts in a database of their own, and a connection beside the pool to get in the way with.
 */
final class Accounts implements AutoCloseable {
  final Transactions transactions;
  final Connection other;

  private final Database database;

  Accounts(DatabaseAddress empty) throws SQLException {
    database = new Database(empty, 3);
    transactions = new Transactions(database);
    other = TestPostgres.connect(empty);
    execute(other, "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL)");
    execute(other, "INSERT INTO account VALUES (1, 0), (2, 0)");
    other.setAutoCommit(false);
  }

  /** As the other connection sees it. */
  int balance(int id) throws SQLException {
    return query(other, "SELECT balance FROM account WHERE id = " + id);
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  static int query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    }
  }

  @Override
  public void close() {
    try {
      other.close();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    database.close();
  }
}

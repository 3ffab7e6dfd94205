package io.agentjournal.admin;

import io.agentjournal.database.Columns;
import io.agentjournal.database.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads what the database tells of itself. Thread-safe; blocks for as long as PostgreSQL takes. */
public final class DatabaseFactsStore {
  private static final String READ =
      """
      SELECT max(version::int) AS schema_version, now() AS time
        FROM agentjournal_schema_history
       WHERE success AND version IS NOT NULL
      """;

  private final Transactions transactions;

  public DatabaseFactsStore(Transactions transactions) {
    this.transactions = transactions;
  }

  public DatabaseFacts read() {
    return transactions.readOnly("database-facts", DatabaseFactsStore::read);
  }

  private static DatabaseFacts read(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(READ);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return new DatabaseFacts(row.getInt("schema_version"), Columns.instant(row, "time"));
    }
  }
}

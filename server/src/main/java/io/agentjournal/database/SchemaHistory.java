package io.agentjournal.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;

/**
 * What has been done to a database's schema, as Flyway keeps it. To read it takes milliseconds,
 * where Flyway itself takes a good part of a server's start to find out that there is nothing to
 * do.
 */
public final class SchemaHistory {
  private static final String EXISTS =
      "SELECT to_regclass('agentjournal_schema_history') IS NOT NULL";

  private static final String APPLIED =
      """
      SELECT version, checksum
        FROM agentjournal_schema_history
       WHERE success AND version IS NOT NULL AND checksum IS NOT NULL
       ORDER BY installed_rank
      """;

  private final Transactions transactions;

  public SchemaHistory(Transactions transactions) {
    this.transactions = transactions;
  }

  /** Blocks. Whether all that this server brings has been applied, in the form that it has here. */
  public boolean isUpToDate() {
    return transactions
        .readOnly("schema_history", SchemaHistory::applied)
        .containsAll(MigrationFile.all());
  }

  private static Set<MigrationFile> applied(Connection connection) throws SQLException {
    Set<MigrationFile> applied = new HashSet<>();
    if (!exists(connection)) {
      return applied;
    }
    try (PreparedStatement statement = connection.prepareStatement(APPLIED);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        applied.add(new MigrationFile(row.getString(1), row.getInt(2)));
      }
    }
    return applied;
  }

  private static boolean exists(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(EXISTS);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getBoolean(1);
    }
  }
}

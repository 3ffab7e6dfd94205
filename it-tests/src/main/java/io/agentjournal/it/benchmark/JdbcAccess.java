package io.agentjournal.it.benchmark;

import io.agentjournal.it.OwnPostgresProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The journal's PostgreSQL, for what goes past the server: other programs' tables, and counts. */
record JdbcAccess(String jdbcUrl, String user, String password) {
  static JdbcAccess to(OwnPostgresProcess postgres) {
    return new JdbcAccess(postgres.jdbcUrl(), postgres.user(), postgres.password());
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrl, user, password);
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.execute();
    }
  }

  /** The only number of the only row. */
  long number(String sql, Object... parameters) throws SQLException {
    try (Connection connection = connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }
}

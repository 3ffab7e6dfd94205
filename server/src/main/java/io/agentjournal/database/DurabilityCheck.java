package io.agentjournal.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Refuses a database that could lose what it has acknowledged, or that is too old. */
public final class DurabilityCheck {
  private static final int OLDEST_VERSION = 140000;

  private static final String SETTINGS =
      """
      SELECT current_setting('fsync'),
             current_setting('full_page_writes'),
             current_setting('server_version_num')::int,
             current_setting('server_version')
      """;

  private final Transactions transactions;

  public DurabilityCheck(Transactions transactions) {
    this.transactions = transactions;
  }

  /** Throws {@link StartRefused} naming the setting. */
  public void require() {
    transactions.readOnly("durability_check", DurabilityCheck::settings).require();
  }

  private static Settings settings(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SETTINGS);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return new Settings(row.getString(1), row.getString(2), row.getInt(3), row.getString(4));
    }
  }

  record Settings(String fsync, String fullPageWrites, int versionNumber, String version) {
    void require() {
      requireOn("fsync", fsync);
      requireOn("full_page_writes", fullPageWrites);
      if (versionNumber < OLDEST_VERSION) {
        throw new StartRefused("PostgreSQL " + version + " is too old: 14 or newer is needed");
      }
    }

    private static void requireOn(String setting, String value) {
      if (!value.equals("on")) {
        throw new StartRefused(
            "PostgreSQL runs with %s = %s: acknowledged writes could be lost. Set %s = on"
                .formatted(setting, value, setting));
      }
    }
  }
}

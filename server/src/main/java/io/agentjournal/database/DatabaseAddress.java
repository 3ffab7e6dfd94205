package io.agentjournal.database;

import org.jspecify.annotations.Nullable;

/** Where a database is and as whom to enter it; user and password may also stand in the URL. */
public record DatabaseAddress(String jdbcUrl, @Nullable String user, @Nullable String password) {
  public DatabaseAddress {
    if (!jdbcUrl.startsWith("jdbc:postgresql:")) {
      throw new StartRefused("jdbc-url must begin with jdbc:postgresql:");
    }
  }

  /** Without what may be a secret: neither the password nor the URL's parameters. */
  @Override
  public String toString() {
    int parameters = jdbcUrl.indexOf('?');
    return parameters < 0 ? jdbcUrl : jdbcUrl.substring(0, parameters);
  }
}

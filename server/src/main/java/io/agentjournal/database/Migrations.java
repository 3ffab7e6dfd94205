package io.agentjournal.database;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/**
 * Brings the schema to this server's version. Servers that start at once on one database take turns
 * by Flyway's lock; all of them succeed. It uses connections of its own, since a migration may wait
 * for locks for longer than a call may.
 */
public final class Migrations {
  private static final String LOCATION = "classpath:db/migration";
  private static final String HISTORY_TABLE = "agentjournal_schema_history";

  private final DatabaseAddress address;

  public Migrations(DatabaseAddress address) {
    this.address = address;
  }

  /** Blocks until the schema is up to date. Throws {@link StartRefused} when it cannot be. */
  public void run() {
    try {
      Flyway.configure()
          .dataSource(address.jdbcUrl(), address.user(), address.password())
          .locations(LOCATION)
          .table(HISTORY_TABLE)
          .failOnMissingLocations(true)
          .load()
          .migrate();
    } catch (FlywayException e) {
      throw new StartRefused("the schema could not be migrated: " + e.getMessage(), e);
    }
  }
}

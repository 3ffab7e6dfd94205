package io.agentjournal.database;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What one transaction does. It may run more than once, each time in a transaction of its own, so
 * it keeps nothing outside that a second run would find changed; and it neither commits, rolls back
 * nor keeps the connection.
 */
@FunctionalInterface
public interface Work<T extends @Nullable Object> {
  T on(Connection connection) throws SQLException;
}

package io.agentjournal.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The pool of connections. Thread-safe. A connection that died in the pool is replaced when it is
 * asked for. Whoever made it closes it, after everyone who uses it.
 */
public final class Database implements AutoCloseable {
  /**
   * Of every session. UTC: the driver would else send the JVM's time zone. Locks are waited for
   * briefly, so that one stuck transaction does not take the whole pool with it.
   *
   * <p>Every statement of ours finds its rows by an index. A plan that was made and cached while a
   * table was small must not read the whole table when it has grown; hence the planner's settings.
   */
  private static final String SESSION =
      """
      SET synchronous_commit = on;
      SET default_transaction_isolation = 'read committed';
      SET lock_timeout = '1s';
      SET idle_in_transaction_session_timeout = '10s';
      SET enable_seqscan = off;
      SET enable_hashjoin = off;
      SET enable_mergejoin = off;
      SET plan_cache_mode = force_generic_plan;
      SET TimeZone = 'UTC'
      """;

  private static final Duration FIRST_CONNECTION_WAIT = Duration.ofSeconds(10);
  private static final Duration CONNECTION_WAIT = Duration.ofSeconds(5);

  private static final long WITHOUT_WAITING = -1;

  private final HikariDataSource pool;

  /** Blocks until there is a first connection. */
  public Database(DatabaseAddress address, int poolSize) {
    this(address, poolSize, FIRST_CONNECTION_WAIT.toMillis());
  }

  private Database(DatabaseAddress address, int poolSize, long firstConnectionWaitMillis) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("agentjournal");
    config.setJdbcUrl(address.jdbcUrl());
    config.setUsername(address.user());
    config.setPassword(address.password());
    config.setMaximumPoolSize(poolSize);
    config.setMinimumIdle(1);
    config.setAutoCommit(false);
    config.setConnectionInitSql(SESSION);
    // Commits it: else the settings would last as long as the first transaction.
    config.setIsolateInternalQueries(true);
    config.setConnectionTimeout(CONNECTION_WAIT.toMillis());
    config.setInitializationFailTimeout(firstConnectionWaitMillis);
    config.addDataSourceProperty("ApplicationName", "agentjournal");
    // Prepared on the server from the first use on: the statements are few and constant.
    config.addDataSourceProperty("prepareThreshold", "1");
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.addDataSourceProperty("connectTimeout", "5");
    // A host that vanished without a word. It closes the connection and cancels nothing; no
    // statement of ours waits that long.
    config.addDataSourceProperty("socketTimeout", "60");
    try {
      this.pool = new HikariDataSource(config);
    } catch (PoolInitializationException e) {
      throw new StartRefused("no connection to " + address + ": " + e.getMessage(), e);
    }
  }

  /** Blocks for up to 5 s. The caller closes it, which gives it back. */
  Connection connection() throws SQLException {
    return pool.getConnection();
  }

  /** One connection, where another pool has shown that there are any. Does not block. */
  public static Database ofOneConnection(DatabaseAddress address) {
    return new Database(address, 1, WITHOUT_WAITING);
  }

  /**
   * From now on the pool is kept full: within half a minute, and before that as calls ask for
   * connections. To open them all is work that a start need not wait for.
   */
  public void fill() {
    pool.getHikariConfigMXBean().setMinimumIdle(pool.getMaximumPoolSize());
  }

  /** Takes a borrowed connection out of the pool for good. */
  void discard(Connection connection) {
    pool.evictConnection(connection);
  }

  @Override
  public void close() {
    pool.close();
  }
}

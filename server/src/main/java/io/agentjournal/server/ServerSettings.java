package io.agentjournal.server;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.database.StartRefused;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one server is told. What each means, its unit and its default stand in {@link
 * ServerOptions}.
 *
 * @param port 0: any that is free
 * @param database null: one of the server's own, in the data directory
 */
public record ServerSettings(
    String host,
    int port,
    @Nullable DatabaseAddress database,
    Path dataDirectory,
    Path binariesDirectory,
    int poolSize,
    int lanes,
    boolean flushesPerBucket,
    int queuedCalls,
    Duration keepaliveTime,
    Duration keepaliveTimeout,
    Duration drainTimeout,
    Duration abortGrace,
    Duration reconcileInterval,
    Duration compactAfter,
    int compactPercent) {
  private static final int HIGHEST_PORT = 65535;
  private static final int MAX_LANES = 64;

  /** Of the server's own PostgreSQL, which keeps some for its operator. */
  private static final int MAX_POOL_OF_OWN_DATABASE = 100;

  /** Below it gRPC takes this. */
  private static final Duration LEAST_KEEPALIVE_TIME = Duration.ofSeconds(10);

  public ServerSettings {
    require("port", port, 0, HIGHEST_PORT);
    require("pool-size", poolSize, 2, database == null ? MAX_POOL_OF_OWN_DATABASE : 10_000);
    require("lanes", lanes, 1, Math.min(MAX_LANES, poolSize - 1));
    require("queued-calls", queuedCalls, 1, Integer.MAX_VALUE);
    if (keepaliveTime.compareTo(LEAST_KEEPALIVE_TIME) < 0) {
      throw new StartRefused("keepalive-time is below 10s");
    }
    requirePositive("keepalive-timeout", keepaliveTimeout);
    if (drainTimeout.isNegative()) {
      throw new StartRefused("drain-timeout is negative");
    }
    if (abortGrace.isNegative()) {
      throw new StartRefused("abort-grace is negative");
    }
    requirePositive("reconcile-interval", reconcileInterval);
    if (compactAfter.isNegative()) {
      throw new StartRefused("compact-after is negative");
    }
    require("compact-percent", compactPercent, 0, 100);
  }

  private static void requirePositive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new StartRefused(name + " is not positive");
    }
  }

  private static void require(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new StartRefused("%s is %d: %d to %d are possible".formatted(name, value, least, most));
    }
  }
}

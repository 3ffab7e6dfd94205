package io.agentjournal.server;

import io.agentjournal.database.DatabaseFailure;
import io.agentjournal.database.DatabaseUnavailable;
import io.agentjournal.database.Transactions;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the database every second, and lets the health service say whether it answers. */
final class DatabaseHealth implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DatabaseHealth.class);
  private static final String PING = "SELECT 1";

  private final Transactions transactions;
  private final HealthStatusManager health;
  private final List<String> services;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "database-health"));

  /** Only {@link #thread} and the constructor use it, one after the other. */
  private ServingStatus told = ServingStatus.UNKNOWN;

  /** The services by full name; the server as a whole is added. */
  DatabaseHealth(Transactions transactions, HealthStatusManager health, List<String> services) {
    this.transactions = transactions;
    this.health = health;
    this.services = List.copyOf(services);
    tell(ServingStatus.SERVING);
    var unused = thread.scheduleWithFixedDelay(this::ask, 1, 1, TimeUnit.SECONDS);
  }

  private void ask() {
    try {
      transactions.readOnly("health", DatabaseHealth::ping);
      tell(ServingStatus.SERVING);
    } catch (DatabaseUnavailable | DatabaseFailure e) {
      LOG.warn("The database does not answer: {}", e.getMessage());
      tell(ServingStatus.NOT_SERVING);
    }
  }

  private static boolean ping(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(PING)) {
      return statement.execute();
    }
  }

  private void tell(ServingStatus status) {
    if (status == told) {
      return;
    }
    told = status;
    LOG.info("Health is {}", status);
    health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, status);
    services.forEach(service -> health.setStatus(service, status));
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}

package io.agentjournal.event;

import static io.agentjournal.submission.SubmissionCaller.attempt;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.server.JournalServer;
import io.agentjournal.submission.SubmissionCaller;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.Outcome;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class WatchOutageTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  private final DatabaseAddress database = POSTGRES.emptyDatabase();

  private void cutConnections() {
    try (Connection connection = TestPostgres.connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** As a caller does it: what is not certain is asked for again. */
  private static void throughOutage(Runnable call) {
    Wait.until(
        "the call gets through",
        () -> {
          try {
            call.run();
            return true;
          } catch (StatusRuntimeException e) {
            assertEquals(Status.Code.UNAVAILABLE, e.getStatus().getCode());
            return false;
          }
        });
  }

  /** B033 */
  @Test
  void watches_outlive_the_connections_to_the_database() {
    try (JournalServer server = new JournalServer(JournalExtension.settings(database))) {
      ManagedChannel channel = JournalExtension.channelTo(server);
      SubmissionCaller calls = SubmissionCaller.on(channel);
      String id = calls.admitted();
      Watching watching = Watching.of(channel, id).awaitCaughtUp();
      cutConnections();
      throughOutage(() -> calls.claim(attempt(id, "a")));
      watching.await("RUNNING");
      cutConnections();
      throughOutage(() -> calls.settle(attempt(id, "a"), Outcome.OUTCOME_COMPLETED));
      assertEquals(
          List.of("QUEUED", "RUNNING", "SETTLED COMPLETED", "end SETTLED"),
          watching.awaitEnd().texts());
      channel.shutdownNow();
    }
  }
}

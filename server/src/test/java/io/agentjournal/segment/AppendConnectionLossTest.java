package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.ErrorReason;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Connections that are lost in the middle of a commit. */
final class AppendConnectionLossTest {
  private static final int SEGMENTS = 400;
  private static final int LOSSES = 5;

  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  private final DatabaseAddress database = POSTGRES.emptyDatabase();
  private final AtomicInteger lost = new AtomicInteger();

  /** B022 */
  @Test
  void an_append_whose_connection_is_lost_is_unavailable_and_succeeds_when_it_is_repeated() {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (JournalServer server =
        new JournalServer(JournalExtension.settings(database, "--pool-size=4"))) {
      ManagedChannel channel = JournalExtension.channelTo(server);
      TestStream stream = new TestStream(channel);
      Future<?> shaking = thread.submit(this::endConnections);
      for (int i = 0; i < SEGMENTS; i++) {
        putUntilStored(channel, stream, i);
      }
      shaking.cancel(true);
      assertTrue(lost.get() > 0, "no connection was lost in time");
      Reading reading = Reading.of(channel, stream.read());
      reading.awaitEnd();
      assertEquals(
          IntStream.range(0, SEGMENTS).mapToObj(Integer::toString).toList(), reading.texts());
      channel.shutdownNow();
    } finally {
      thread.shutdownNow();
    }
  }

  private void putUntilStored(Channel channel, TestStream stream, int index) {
    AppendSegmentsRequest message =
        AppendSegmentsRequest.newBuilder()
            .setOpen(stream.open())
            .setFirstIndex(index)
            .addSegments(TestStream.segment(Integer.toString(index)))
            .build();
    while (true) {
      try {
        Way.PUT_SEGMENTS.append(channel, message);
        return;
      } catch (StatusRuntimeException e) {
        Refused.of(e)
            .mustBe(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_DATABASE_UNAVAILABLE);
        lost.incrementAndGet();
      }
    }
  }

  /** Those of flushes, until a few were noticed. */
  private Void endConnections() throws SQLException {
    try (Connection connection = TestPostgres.connect(database);
        Statement statement = connection.createStatement()) {
      while (lost.get() < LOSSES && !Thread.currentThread().isInterrupted()) {
        statement.execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE pid <> pg_backend_pid() AND datname = current_database()
               AND (query LIKE '%NO KEY UPDATE%' OR query LIKE '%INTO extents%')
            """);
      }
    }
    return null;
  }
}

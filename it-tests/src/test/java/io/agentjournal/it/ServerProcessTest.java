package io.agentjournal.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.testing.PostgresExtension;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

final class ServerProcessTest {
  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  @TempDir static Path directory;

  private static void assertServing(ServerProcess server) {
    ManagedChannel channel = server.channel();
    try {
      assertEquals(
          ServingStatus.SERVING,
          HealthGrpc.newBlockingStub(channel)
              .check(HealthCheckRequest.getDefaultInstance())
              .getStatus());
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void it_serves_after_its_one_line_and_ends_with_zero_when_told_to() throws IOException {
    try (ServerProcess server = ServerProcess.onDirectory(directory)) {
      assertServing(server);
      assertEquals(0, server.terminate());
      assertEquals(List.of(), server.furtherOutput());
    }
    assertFalse(Files.exists(directory.resolve("data/postgresql/postmaster.pid")));
  }

  @Test
  void it_starts_again_after_it_was_killed() {
    try (ServerProcess killed = ServerProcess.onDirectory(directory)) {
      killed.kill();
    }
    assertTrue(Files.exists(directory.resolve("data/postgresql/postmaster.pid")));
    try (ServerProcess server = ServerProcess.onDirectory(directory)) {
      assertServing(server);
    }
  }

  @Test
  void second_one_on_the_same_directory_ends_with_one_and_says_why() throws Exception {
    try (ServerProcess server = ServerProcess.onDirectory(directory)) {
      Path log = directory.resolve("second.log");
      Process second =
          ServerProcess.launch(log, List.of("--data-dir=" + directory.resolve("data")));
      assertTrue(second.waitFor(60, TimeUnit.SECONDS));
      assertEquals(1, second.exitValue());
      assertTrue(Files.readString(log).contains("another agent-journal server is running"));
      assertServing(server);
    }
  }

  @Test
  void with_a_named_database_none_of_its_own_is_touched(@TempDir Path unused) {
    DatabaseAddress database = POSTGRES.address();
    Path data = unused.resolve("data");
    Path binaries = unused.resolve("binaries");
    List<String> options =
        List.of(
            "--jdbc-url=" + database.jdbcUrl(),
            "--jdbc-user=" + database.user(),
            "--jdbc-password=" + database.password(),
            "--pool-size=4",
            "--lanes=2",
            "--data-dir=" + data,
            "--binaries-dir=" + binaries);
    try (ServerProcess server = ServerProcess.start(unused, options)) {
      assertServing(server);
    }
    assertFalse(Files.exists(data));
    assertFalse(Files.exists(binaries));
  }

  @Test
  void option_that_does_not_exist_ends_with_two() throws Exception {
    Process process = ServerProcess.launch(directory.resolve("bad.log"), List.of("--no-such"));
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertEquals(2, process.exitValue());
  }
}

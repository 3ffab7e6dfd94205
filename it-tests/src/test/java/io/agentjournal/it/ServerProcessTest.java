package io.agentjournal.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.database.DatabaseAddress;
import io.agentjournal.testing.PostgresExtension;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

final class ServerProcessTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @RegisterExtension static final PostgresExtension POSTGRES = new PostgresExtension();

  @TempDir static Path directory;

  /** Each test leaves it running. */
  private static ServerProcess server;

  @BeforeAll
  static void start() {
    server = ServerProcess.start(directory);
  }

  @AfterAll
  static void end() {
    server.close();
  }

  @Test
  void it_serves_after_its_one_line_and_ends_with_zero_when_told_to() {
    int printed = server.output().size();
    assertServing(server);
    assertEquals(0, server.terminate());
    assertEquals(printed, server.output().size());
    assertFalse(Files.exists(directory.resolve("data/postgresql/postmaster.pid")));
    server.startAgain();
    assertEquals(
        List.of("agent-journal listens on " + server.target()),
        server.output().subList(printed, server.output().size()));
  }

  @Test
  void killed_one_goes_on_with_what_it_had_whether_its_postgresql_lives_or_not() {
    assertEquals(1, put(server, "killed", 0));
    server.kill9();
    assertTrue(Files.exists(directory.resolve("data/postgresql/postmaster.pid")));
    server.startAgain();
    assertEquals(2, put(server, "killed", 1));
    server.kill9();
    server.postgres().kill9();
    server.startAgain();
    assertEquals(3, put(server, "killed", 2));
  }

  @Test
  void one_whose_postgresql_is_killed_starts_it_again_and_goes_on() {
    assertEquals(1, put(server, "bereft", 0));
    server.postgres().kill9();
    Wait.until("it stores again", () -> storesAgain(1, 2));
    assertEquals(3, put(server, "bereft", 2));
    assertServing(server);
  }

  private static boolean storesAgain(long index, long nextIndex) {
    try {
      return put(server, "bereft", index) == nextIndex;
    } catch (StatusRuntimeException e) {
      assertEquals(Status.Code.UNAVAILABLE, e.getStatus().getCode());
      return false;
    }
  }

  @Test
  void second_one_on_the_same_directory_ends_with_one_and_says_why() {
    List<String> options = List.of("--port=0", "--data-dir=" + directory.resolve("data"));
    try (JavaProcess second = launch(options, "second.log")) {
      assertEquals(1, second.awaitExit(PATIENCE));
      assertTrue(second.told().contains("another agent-journal server is running"), second.told());
    }
    assertServing(server);
  }

  @Test
  void two_on_one_database_store_into_the_same_stream() throws Exception {
    Path beside = Files.createDirectory(directory.resolve("beside"));
    try (ServerProcess second = server.startBeside(beside)) {
      assertEquals(1, put(server, "shared", 0));
      assertEquals(2, put(second, "shared", 1));
      assertEquals(3, put(server, "shared", 2));
    }
  }

  @Test
  void with_a_named_database_none_of_its_own_is_touched(@TempDir Path unused) {
    DatabaseAddress database = POSTGRES.address();
    Path binaries = unused.resolve("binaries");
    try (ServerProcess named =
        ServerProcess.startOn(
            database.jdbcUrl(),
            Objects.requireNonNullElse(database.user(), ""),
            Objects.requireNonNullElse(database.password(), ""),
            unused,
            "--pool-size=4",
            "--lanes=2",
            "--binaries-dir=" + binaries)) {
      assertServing(named);
    }
    assertFalse(Files.exists(unused.resolve("data")));
    assertFalse(Files.exists(binaries));
  }

  @Test
  void option_that_does_not_exist_ends_with_two() {
    try (JavaProcess process = launch(List.of("--no-such"), "bad.log")) {
      assertEquals(2, process.awaitExit(PATIENCE));
    }
  }

  private static JavaProcess launch(List<String> options, String log) {
    return ServerProcess.launch(options, Map.of(), directory.resolve(log), line -> {});
  }

  /** Health is told once a second. */
  private static void assertServing(ServerProcess server) {
    ManagedChannel channel = server.channel();
    try {
      HealthGrpc.HealthBlockingStub health = HealthGrpc.newBlockingStub(channel);
      Wait.until(
          "health says that it serves",
          () ->
              health.check(HealthCheckRequest.getDefaultInstance()).getStatus()
                  == ServingStatus.SERVING);
    } finally {
      channel.shutdownNow();
    }
  }

  /** Returns the next index. */
  private static long put(ServerProcess server, String stream, long index) {
    ManagedChannel channel = server.channel();
    try {
      return SegmentServiceGrpc.newBlockingStub(channel)
          .putSegments(
              PutSegmentsRequest.newBuilder()
                  .setOpen(StreamOpen.newBuilder().setStreamKey(stream))
                  .setFirstIndex(index)
                  .addSegments(Segment.newBuilder().setText("token " + index))
                  .build())
          .getNextIndex();
    } finally {
      channel.shutdownNow();
    }
  }
}

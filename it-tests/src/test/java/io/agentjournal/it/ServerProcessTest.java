package io.agentjournal.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the operating system sees of a server. */
final class ServerProcessTest {
  @TempDir static Path directory;
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
  void killed_server_goes_on_with_what_it_had_whether_its_postgresql_lives_or_not() {
    assertEquals(1, put(server, "killed", 0));
    server.kill9();
    server.startAgain();
    assertEquals(2, put(server, "killed", 1));
    server.kill9();
    server.postgres().kill9();
    server.startAgain();
    assertEquals(3, put(server, "killed", 2));
  }

  @Test
  void sigterm_ends_server_and_postgresql_with_code_0() {
    assertEquals(0, server.terminate());
    assertFalse(Files.exists(directory.resolve("data/postgresql/postmaster.pid")));
    server.startAgain();
  }

  @Test
  void second_server_on_the_same_directory_says_so_and_ends() {
    IllegalStateException refused =
        assertThrows(IllegalStateException.class, () -> ServerProcess.start(directory).close());
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains("another agent-journal server is running"), message);
    assertEquals(1, put(server, "locked", 0));
  }

  @Test
  void second_server_on_the_same_database_sees_what_the_first_stored() throws Exception {
    Path beside = Files.createDirectory(directory.resolve("beside"));
    try (ServerProcess second = server.startBeside(beside)) {
      assertEquals(1, put(server, "shared", 0));
      assertEquals(2, put(second, "shared", 1));
      assertEquals(3, put(server, "shared", 2));
    }
  }

  private static long put(ServerProcess server, String stream, long index) {
    ManagedChannel channel =
        Grpc.newChannelBuilder(server.target(), InsecureChannelCredentials.create()).build();
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

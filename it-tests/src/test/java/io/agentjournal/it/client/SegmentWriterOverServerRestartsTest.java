package io.agentjournal.it.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.SegmentReader;
import io.agentjournal.client.SegmentWriter;
import io.agentjournal.client.StoredSegment;
import io.agentjournal.it.ServerProcess;
import io.agentjournal.v1.ReadEndReason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A writer and a follower that live through the end of their server and never hear of it. */
@Timeout(240)
final class SegmentWriterOverServerRestartsTest {
  private static final int SEGMENTS = 3_000;

  @TempDir static Path directory;

  private static ServerProcess server;

  @BeforeAll
  static void start() {
    server = ServerProcess.start(directory);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void end(boolean bySigkill) {
    if (bySigkill) {
      server.kill9();
    } else {
      assertEquals(0, server.terminate());
    }
  }

  private static CompletableFuture<List<StoredSegment>> follow(JournalClient client, String key) {
    CompletableFuture<List<StoredSegment>> result = new CompletableFuture<>();
    Thread follower =
        new Thread(
            () -> {
              try (SegmentReader reader = client.reader(key).follow().open()) {
                List<StoredSegment> seen = new ArrayList<>();
                reader.forEachRemaining(seen::add);
                assertEquals(ReadEndReason.READ_END_REASON_COMPLETE, reader.end().getReason());
                result.complete(seen);
              } catch (RuntimeException | Error failure) {
                result.completeExceptionally(failure);
              }
            });
    follower.setDaemon(true);
    follower.start();
    return result;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void writer_and_follower_go_on_over_two_ends_of_the_server(boolean bySigkill) throws Exception {
    String key = "restart-" + bySigkill;
    try (JournalClient client = JournalClient.to(server.target()).plaintext().build()) {
      SegmentWriter writer = client.writer(key).writerEpoch(1).open();
      CompletableFuture<List<StoredSegment>> followed = follow(client, key);
      for (int i = 0; i < SEGMENTS; i++) {
        writer.append("token " + i);
        if (i == SEGMENTS / 3 || i == SEGMENTS / 2) {
          end(bySigkill);
          // Appends while nobody is there wait in the window.
          for (int more = 0; more < 100; more++) {
            i++;
            writer.append("token " + i);
          }
          server.startAgain();
        }
      }
      writer.finish("stop");

      assertTrue(writer.counters().calls() >= 3);
      assertEquals(0, writer.counters().resentBelowNextIndex());
      List<StoredSegment> seen = followed.join();
      assertEquals(SEGMENTS, seen.size());
      for (int i = 0; i < SEGMENTS; i++) {
        assertEquals(i, seen.get(i).index());
        assertEquals("token " + i, seen.get(i).text());
      }
    }
  }

  @Test
  void a_successor_without_state_goes_on_after_the_death_of_writer_and_server() throws Exception {
    try (JournalClient client = JournalClient.to(server.target()).plaintext().build()) {
      SegmentWriter first = client.writer("successor").writerEpoch(1).open();
      for (int i = 0; i < 500; i++) {
        first.append("token " + i);
      }
      server.kill9();
    }
    server.startAgain();
    try (JournalClient client = JournalClient.to(server.target()).plaintext().build()) {
      SegmentWriter second = client.writer("successor").writerEpoch(2).resume().open();
      for (long i = second.startIndex(); i < 500; i++) {
        second.append("token " + i);
      }
      second.finish("stop");

      assertEquals(0, second.counters().duplicates());
      assertEquals(0, second.counters().resentBelowNextIndex());
      List<StoredSegment> seen = follow(client, "successor").join();
      assertEquals(500, seen.size());
      for (int i = 0; i < 500; i++) {
        assertEquals("token " + i, seen.get(i).text());
      }
    }
  }
}

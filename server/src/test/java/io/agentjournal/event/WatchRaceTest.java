package io.agentjournal.event;

import static io.agentjournal.testing.Trial.call;
import static io.agentjournal.testing.Trial.completed;
import static io.agentjournal.testing.Trial.entry;
import static io.agentjournal.testing.Trial.result;
import static io.agentjournal.testing.Trial.start;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.NewToolCall;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tokens, take-overs, ends of streams and tool calls side by side, watched live on two servers:
 * there is one order, which everybody sees, and nothing is missing in it or told twice.
 */
final class WatchRaceTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static final int TURNS = Boolean.getBoolean("journal.thorough") ? 40 : 4;
  private static final int SEGMENTS = 40;
  private static final int TAKE_OVERS = 4;
  private static final int CALLS = 6;

  private final Trial trial = Trial.running(JOURNAL);
  private volatile String holder = "a";

  private void turn(String turn) {
    String begunBy = holder;
    trial.turns.beginTurnJournal(
        trial.begin(begunBy, turn).setStart(ProviderStart.newBuilder()).build());
    String stream = trial.streamKey(turn, begunBy);
    CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(stream));
    for (int i = 0; i < TAKE_OVERS; i++) {
      String next = turn + "-" + i;
      trial.replace(holder, next);
      holder = next;
    }
    writing.join();
    NewToolCall[] calls =
        IntStream.range(0, CALLS).mapToObj(i -> call("c" + i)).toArray(NewToolCall[]::new);
    trial.request(holder, turn, calls);
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      String id = "c" + i;
      running.add(CompletableFuture.runAsync(() -> runTool(turn, id)));
    }
    running.forEach(CompletableFuture::join);
    trial.commit(holder, turn);
  }

  private void runTool(String turn, String id) {
    trial.update(holder, turn, start(id));
    trial.update(
        holder,
        turn,
        result(id, entry(turn + "-" + id, "done").toBuilder().setToolCallId(id).build()));
  }

  /** One token after the other, then the end, as whoever holds the submission by then. */
  private void write(String stream) {
    for (int index = 0; index < SEGMENTS; index++) {
      int next = index;
      asHolder(attempt -> trial.put(attempt, stream, next, "x"));
    }
    asHolder(
        attempt ->
            trial.segments.putSegments(
                PutSegmentsRequest.newBuilder()
                    .setOpen(
                        StreamOpen.newBuilder().setStreamKey(stream).setAttempt(trial.ref(attempt)))
                    .setEnd(StreamEnd.newBuilder().setFinishReason("stop"))
                    .build()));
  }

  private interface Write {
    void as(String attempt);
  }

  private void asHolder(Write write) {
    while (true) {
      try {
        write.as(holder);
        return;
      } catch (StatusRuntimeException e) {
        assertEquals(ErrorReason.ERROR_REASON_STALE_ATTEMPT, Refused.of(e).reason());
      }
    }
  }

  @Test
  void everybody_sees_everything_once_and_in_one_order() {
    JournalServer otherServer = JOURNAL.anotherServer();
    ManagedChannel other = JournalExtension.channelTo(otherServer);
    trial.stored.update("UPDATE submissions SET max_attempts = 1000 WHERE submission_id = ?");
    Watching here = Watching.of(JOURNAL.channel(), trial.id);
    Watching there = Watching.of(other, trial.id);
    for (int i = 0; i < TURNS; i++) {
      turn("t" + i);
    }
    trial.settle(holder, completed("done"));
    List<String> replayed = Watching.of(other, trial.id).awaitEnd().texts();
    assertEquals(replayed, here.awaitEnd().texts());
    assertEquals(replayed, there.awaitEnd().texts());
    mustBeWhole(replayed);
    other.shutdownNow();
    otherServer.close();
  }

  private void mustBeWhole(List<String> told) {
    List<String> stored = StoredEvents.of(JOURNAL.database(), trial.id);
    assertEquals(3 + TURNS * (4 + TAKE_OVERS + 2 * CALLS), stored.size());
    assertEquals(
        stored.stream().map(text -> text.replaceFirst(" @\\d+$", "")).toList(),
        told.stream().filter(text -> !text.matches("(\\d+'|ended |end ).*")).toList());
    List<String> segments = told.stream().filter(text -> text.endsWith("'x")).toList();
    assertEquals(
        IntStream.range(0, TURNS * SEGMENTS).mapToObj(i -> i % SEGMENTS + "'x").toList(), segments);
    assertEquals(
        IntStream.range(0, TURNS).mapToObj(i -> "ended t" + i + " COMPLETE stop").toList(),
        told.stream().filter(text -> text.startsWith("ended ")).toList());
    takeOversStandWhereTheyHappened(stored, told);
  }

  /** Behind as many segments of their stream as there were. */
  private static void takeOversStandWhereTheyHappened(List<String> stored, List<String> told) {
    List<String> wanted = stored.stream().filter(text -> text.startsWith("taken over")).toList();
    List<String> seen = new ArrayList<>();
    int segments = 0;
    boolean isOpen = false;
    for (String text : told) {
      if (text.startsWith("opened ")) {
        segments = 0;
        isOpen = true;
      } else if (text.startsWith("ended ")) {
        isOpen = false;
      } else if (text.endsWith("'x")) {
        segments++;
      } else if (text.startsWith("taken over")) {
        seen.add(isOpen ? text + " @" + segments : text);
      }
    }
    assertEquals(wanted, seen);
  }
}

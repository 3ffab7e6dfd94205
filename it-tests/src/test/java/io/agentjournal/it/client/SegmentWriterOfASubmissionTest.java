package io.agentjournal.it.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.JournalException;
import io.agentjournal.client.SegmentReader;
import io.agentjournal.client.SegmentWriter;
import io.agentjournal.client.SegmentWriterBuilder;
import io.agentjournal.client.SegmentWriterListener;
import io.agentjournal.it.StartedTurn;
import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.agentjournal.v1.TurnPhase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream that is fenced by its submission's attempt. */
@Timeout(60)
final class SegmentWriterOfASubmissionTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static final Duration LEASE = Duration.ofSeconds(30);

  private final JournalClient client = client(JOURNAL.server());

  private static JournalClient client(JournalServer server) {
    return JournalClient.to("127.0.0.1:" + server.port()).plaintext().build();
  }

  @AfterEach
  void closeClient() {
    client.close();
  }

  private SegmentWriterBuilder writer(StartedTurn turn, AttemptRef attempt) {
    return client
        .writer(turn.streamKey())
        .attempt(attempt.getSubmissionId(), attempt.getAttemptId());
  }

  /** Promise 4: the zombie does nothing and hears of it, whichever server the take-over went to. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void an_idle_writer_whose_attempt_was_replaced_is_told(boolean elsewhere) throws Exception {
    StartedTurn turn = StartedTurn.on(client.channel(), LEASE);
    CompletableFuture<Long> toldAt = new CompletableFuture<>();
    SegmentWriter zombie =
        writer(turn, turn.attempt())
            .listener(
                new SegmentWriterListener() {
                  @Override
                  public void failed(JournalException failure) {
                    toldAt.complete(System.nanoTime());
                  }
                })
            .open();
    zombie.append("one ");
    zombie.awaitDurable(1);

    AttemptRef next;
    try (JournalServer other = JOURNAL.anotherServer();
        JournalClient there = client(other)) {
      next = turn.replaceAttempt(elsewhere ? there.channel() : client.channel());
      long replacedAt = System.nanoTime();
      long after = TimeUnit.NANOSECONDS.toMillis(toldAt.get(30, TimeUnit.SECONDS) - replacedAt);
      System.out.println("zombie told " + after + " ms after the take-over");
      assertTrue(after < 2_000);
    }

    JournalException refused =
        assertThrows(JournalException.Refused.class, () -> zombie.append("two"));
    assertEquals(ErrorReason.ERROR_REASON_STALE_ATTEMPT, refused.reason());
    assertEquals(next.getAttemptId(), refused.fact("current_attempt_id"));
    assertTrue(refused.isFenced());
  }

  @Test
  void an_abort_is_told_to_an_idle_writer_which_may_still_end_its_stream() throws Exception {
    StartedTurn turn = StartedTurn.on(client.channel(), LEASE);
    CompletableFuture<Long> toldAt = new CompletableFuture<>();
    SegmentWriter writer =
        writer(turn, turn.attempt())
            .listener(
                new SegmentWriterListener() {
                  @Override
                  public void abortRequested() {
                    toldAt.complete(System.nanoTime());
                  }
                })
            .open();
    writer.append("one ");
    writer.awaitDurable(1);
    turn.requestAbort(client.channel());
    long requestedAt = System.nanoTime();

    long after = TimeUnit.NANOSECONDS.toMillis(toldAt.get(30, TimeUnit.SECONDS) - requestedAt);
    System.out.println("writer told " + after + " ms after the abort was requested");
    assertTrue(writer.abortRequested());
    writer.fail("aborted", "as somebody asked");
  }

  @Test
  void the_next_attempt_goes_on_where_the_replaced_one_stood() throws InterruptedException {
    StartedTurn turn = StartedTurn.on(client.channel(), LEASE);
    SegmentWriter first = writer(turn, turn.attempt()).open();
    first.appendAll(List.of("one ", "two ").iterator());
    first.awaitDurable(2);
    AttemptRef next = turn.replaceAttempt(client.channel());

    SegmentWriter second = writer(turn, next).resume().open();
    assertEquals(2, second.startIndex());
    second.append("three");
    second.finish("stop");

    TurnPhase phase =
        TurnJournalServiceGrpc.newBlockingStub(client.channel())
            .commitTurnJournal(
                CommitTurnJournalRequest.newBuilder()
                    .setAttempt(next)
                    .setTurnId(turn.turnId())
                    .setExpectedNextIndex(3)
                    .build())
            .getJournal()
            .getPhase();
    assertEquals(TurnPhase.TURN_PHASE_COMMITTED, phase);
    try (SegmentReader reader = client.reader(turn.streamKey()).open()) {
      StringBuilder text = new StringBuilder();
      reader.forEachRemaining(segment -> text.append(segment.text()));
      assertEquals("one two three", text.toString());
    }
  }

  @Test
  void a_replaced_attempt_cannot_even_open() {
    StartedTurn turn = StartedTurn.on(client.channel(), LEASE);
    AttemptRef unused = turn.replaceAttempt(client.channel());

    JournalException refused =
        assertThrows(
            JournalException.Refused.class, () -> writer(turn, turn.attempt()).resume().open());
    assertEquals(ErrorReason.ERROR_REASON_STALE_ATTEMPT, refused.reason());
  }

  @Test
  void a_writer_that_names_no_attempt_is_refused() {
    StartedTurn turn = StartedTurn.on(client.channel(), LEASE);

    JournalException refused =
        assertThrows(JournalException.Refused.class, () -> client.writer(turn.streamKey()).open());
    assertEquals(ErrorReason.ERROR_REASON_STALE_ATTEMPT, refused.reason());
  }
}

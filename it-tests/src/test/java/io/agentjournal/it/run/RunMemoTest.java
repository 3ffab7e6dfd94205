package io.agentjournal.it.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.JournalException;
import io.agentjournal.client.RunDiverged;
import io.agentjournal.client.RunMemo;
import io.agentjournal.client.RunTool;
import io.agentjournal.client.ToolOutcome;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.GetRunRequest;
import io.agentjournal.v1.ListEventsRequest;
import io.agentjournal.v1.ListEventsResponse;
import io.agentjournal.v1.Run;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.agentjournal.v1.RunStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class RunMemoTest {
  private static final RunTool MAIL = RunTool.of("mail", "{\"to\":\"a\"}");

  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private static JournalClient client;

  private final String id = "run-" + UUID.randomUUID();
  private final AtomicInteger calls = new AtomicInteger();

  @BeforeAll
  static void connect() {
    client = JournalClient.to(SERVER.server().address()).plaintext().build();
  }

  @AfterAll
  static void disconnect() {
    client.close();
  }

  @Test
  void recorded_step_is_answered_and_never_done_again() {
    assertEquals("{\"text\":\"1\"}", run().decision(0, key -> "{\"text\":\"" + counted() + "\"}"));

    RunMemo resumed = run();

    assertEquals(
        "{\"text\":\"1\"}", resumed.decision(0, key -> "{\"text\":\"" + counted() + "\"}"));
    assertEquals(
        "{\"text\":\"1\"}", resumed.decision(0, key -> "{\"text\":\"" + counted() + "\"}"));
    assertEquals(1, calls.get());
  }

  @Test
  void step_that_throws_records_nothing_and_its_exception_comes_out() {
    RunMemo run = run();

    assertThrows(
        IOException.class,
        () ->
            run.decision(
                0,
                key -> {
                  throw new IOException("the model is away");
                }));

    assertEquals(List.of(), events());
    assertEquals("1", run.decision(0, key -> "" + counted()));
  }

  @Test
  void tool_is_recorded_before_it_is_called_and_gets_the_key_of_its_place() {
    RunMemo run = run();
    List<String> seen = new ArrayList<>();

    ToolOutcome outcome =
        run.tool(
            7,
            MAIL,
            key -> {
              seen.add(key);
              seen.addAll(events());
              return "{\"sent\":true}";
            });

    assertEquals(new ToolOutcome.Result("{\"sent\":true}"), outcome);
    assertEquals(List.of(id + ":7:mail", "7:TOOL_CALL"), seen);
    assertEquals(List.of("7:TOOL_CALL", "7:TOOL_RESULT"), events());
    assertEquals(outcome, run().tool(7, MAIL, key -> "" + counted()));
    assertEquals(0, calls.get());
  }

  /** B104, B107. */
  @Test
  void call_of_a_dead_process_without_result_is_not_made_again_and_unknown_is_recorded_once() {
    dieInTool(MAIL);

    ToolOutcome outcome = run().tool(0, MAIL, key -> "" + counted());

    assertEquals(new ToolOutcome.Unknown(id + ":0:mail"), outcome);
    assertEquals(outcome, run().tool(0, MAIL, key -> "" + counted()));
    assertEquals(0, calls.get());
    assertEquals(List.of("0:TOOL_CALL", "0:TOOL_RESULT"), events());
  }

  @Test
  void restart_safe_call_of_a_dead_process_is_made_again_under_the_same_key() {
    dieInTool(MAIL.restartSafe());

    assertEquals(
        new ToolOutcome.Result("\"" + id + ":0:mail\""),
        run().tool(0, MAIL.restartSafe(), key -> "\"" + key + "\""));
  }

  @Test
  void tool_that_throws_may_be_called_again_by_the_same_process() {
    RunMemo run = run();
    assertThrows(
        IllegalStateException.class,
        () ->
            run.tool(
                0,
                MAIL,
                key -> {
                  throw new IllegalStateException("refused");
                }));

    assertEquals(new ToolOutcome.Result("1"), run.tool(0, MAIL, key -> "" + counted()));
  }

  /** B119. */
  @Test
  void of_two_tools_the_one_that_succeeded_is_answered_when_the_step_is_tried_again() {
    RunMemo run = run();
    for (int tries = 0; tries < 2; tries++) {
      assertEquals(new ToolOutcome.Result("1"), run.tool(0, MAIL, key -> "" + counted()));
      assertThrows(
          IllegalStateException.class,
          () ->
              run.tool(
                  1,
                  MAIL,
                  key -> {
                    throw new IllegalStateException("down");
                  }));
    }
    assertEquals(1, calls.get());
  }

  @Test
  void another_tool_at_a_recorded_place_is_a_divergence_and_is_not_called() {
    run().tool(0, MAIL, key -> "1");

    RunMemo resumed = run();
    assertThrows(
        RunDiverged.class,
        () -> resumed.tool(0, RunTool.of("delete", "{}"), key -> "" + counted()));
    assertEquals(0, calls.get());
  }

  @Test
  void parallel_calls_of_one_step_run_side_by_side_and_replay_in_any_order() throws Exception {
    RunMemo run = run();
    CountDownLatch allStarted = new CountDownLatch(4);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<ToolOutcome>> outcomes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      long seq = 10L + i;
      outcomes.add(
          threads.submit(
              () ->
                  run.tool(
                      seq,
                      MAIL,
                      key -> {
                        allStarted.countDown();
                        allStarted.await();
                        return "\"" + key + "\"";
                      })));
    }
    for (Future<ToolOutcome> outcome : outcomes) {
      outcome.get();
    }
    threads.shutdown();

    RunMemo resumed = run();
    for (long seq = 13; seq >= 10; seq--) {
      assertEquals(
          new ToolOutcome.Result("\"" + id + ":" + seq + ":mail\""),
          resumed.tool(seq, MAIL, key -> "" + counted()));
    }
    assertEquals(0, calls.get());
  }

  @Test
  void two_threads_at_one_place_do_it_once() throws Exception {
    RunMemo run = run();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    List<Future<String>> answers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      answers.add(threads.submit(() -> run.decision(0, key -> "" + counted())));
    }

    for (Future<String> answer : answers) {
      assertEquals("1", answer.get());
    }
    threads.shutdown();
  }

  @Test
  void of_two_processes_without_claims_the_first_answer_is_everybodys() {
    RunMemo first = run();
    RunMemo second = run();

    assertEquals("1", first.decision(0, key -> "1"));
    assertEquals("1", second.decision(0, key -> "2"));
    first.tool(1, MAIL, key -> "1");
    JournalException refused =
        assertThrows(JournalException.class, () -> second.tool(1, MAIL, key -> "" + counted()));
    assertEquals(ErrorReason.ERROR_REASON_EVENT_CONFLICT, refused.reason());
    assertEquals(0, calls.get());
  }

  @Test
  void large_answers_are_replayed_whole() {
    String large = "\"" + "é😀".repeat(1_000_000) + "\"";
    run().decision(0, key -> large);

    assertTrue(large.equals(run().decision(0, key -> "" + counted())), "byte for byte");
  }

  @Test
  void zombie_is_refused_before_its_tool_is_called_and_cannot_finish_the_run() {
    RunMemo zombie = client.run(id).claim("gateway-1", Duration.ofSeconds(1)).open();
    zombie.decision(0, key -> "1");
    zombie.close();
    Wait.until("its lease has run out", () -> stored().getLease().getRemaining().getSeconds() < 0);

    RunMemo heir = client.run(id).claim("gateway-2", Duration.ofSeconds(30)).open();

    assertEquals("1", heir.decision(0, key -> "" + counted()));
    JournalException refused =
        assertThrows(JournalException.class, () -> zombie.tool(1, MAIL, key -> "" + counted()));
    assertEquals(ErrorReason.ERROR_REASON_RUN_CLAIMED, refused.reason());
    assertTrue(refused.isFenced());
    assertThrows(JournalException.Refused.class, () -> zombie.decision(2, key -> "1"));
    assertThrows(JournalException.Refused.class, () -> zombie.finish("failed"));
    assertEquals(0, calls.get());
    heir.finish("succeeded");
    assertEquals(RunStatus.RUN_STATUS_SUCCEEDED, stored().getStatus());
  }

  @Test
  void lease_is_renewed_for_as_long_as_the_memo_is_open() {
    RunMemo run = client.run(id).claim("gateway-1", Duration.ofSeconds(1)).open();
    Run before = stored();

    Wait.until(
        "renewed",
        () ->
            stored().getLease().getExpiresAt().getSeconds()
                > before.getLease().getExpiresAt().getSeconds() + 1);
    assertEquals(run.claimId(), stored().getClaimId());
    run.close();
  }

  @Test
  void run_left_behind_is_claimed_and_its_loop_goes_on_where_it_was() {
    JournalClient ofItsOwn =
        JournalClient.to(SERVER.server().address())
            .plaintext()
            .namespace("memo-" + UUID.randomUUID())
            .build();
    try (ofItsOwn) {
      assertTrue(ofItsOwn.interruptedRun("gateway-2", Duration.ofSeconds(30)).isEmpty());
      RunMemo dead = ofItsOwn.run(id).agent("coder").open();
      dead.iteration(0, 0);
      dead.iteration(1, 1);

      RunMemo heir = ofItsOwn.interruptedRun("gateway-2", Duration.ofSeconds(30)).orElseThrow();

      assertEquals(id, heir.runId());
      assertEquals(OptionalLong.of(1), heir.lastIteration());
      heir.checkpoint("c1");
      heir.finish("done");
      assertTrue(ofItsOwn.interruptedRun("gateway-3", Duration.ofSeconds(30)).isEmpty());
    }
  }

  @Test
  void ids_with_colons_have_keys_of_their_own() {
    ConcurrentLinkedQueue<String> keys = new ConcurrentLinkedQueue<>();
    RunMemo run = client.run(id + ":1").open();

    run.tool(
        2,
        RunTool.of("a:b%", "{}"),
        key -> {
          keys.add(key);
          return "1";
        });

    assertEquals(List.of(id + "%3A1:2:a%3Ab%25"), List.copyOf(keys));
  }

  private RunMemo run() {
    return client.run(id).open();
  }

  private int counted() {
    return calls.incrementAndGet();
  }

  /** What a process leaves that dies between recording the call and recording the result. */
  private void dieInTool(RunTool tool) {
    assertThrows(
        IllegalStateException.class,
        () ->
            run()
                .tool(
                    0,
                    tool,
                    key -> {
                      throw new IllegalStateException("killed");
                    }));
  }

  private Run stored() {
    return RunJournalServiceGrpc.newBlockingStub(client.channel())
        .getRun(GetRunRequest.newBuilder().setRunId(id).build())
        .getRun();
  }

  private List<String> events() {
    List<String> events = new ArrayList<>();
    Iterator<ListEventsResponse> messages =
        RunJournalServiceGrpc.newBlockingStub(client.channel())
            .listEvents(ListEventsRequest.newBuilder().setRunId(id).build());
    messages.forEachRemaining(
        message ->
            message
                .getEventsList()
                .forEach(event -> events.add(event.getSeq() + ":" + kind(event.getKind()))));
    return events;
  }

  private static String kind(EventKind kind) {
    return kind.name().substring("EVENT_KIND_".length());
  }
}

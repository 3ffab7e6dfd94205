package io.agentjournal.event;

import static io.agentjournal.testing.Trial.call;
import static io.agentjournal.testing.Trial.completed;
import static io.agentjournal.testing.Trial.entry;
import static io.agentjournal.testing.Trial.failed;
import static io.agentjournal.testing.Trial.result;
import static io.agentjournal.testing.Trial.start;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.submission.SubmissionCaller;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.ClaimNextSubmissionRequest;
import io.agentjournal.v1.DeleteSessionRequest;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.NewToolCall;
import io.agentjournal.v1.NewWait;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.RequestAbortRequest;
import io.agentjournal.v1.RequestRecoveryRequest;
import io.agentjournal.v1.RequeueSubmissionRequest;
import io.agentjournal.v1.ResumeSubmissionRequest;
import io.agentjournal.v1.SessionServiceGrpc;
import io.agentjournal.v1.SuspendSubmissionRequest;
import io.agentjournal.v1.TakeOverRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The event list as it is written, whoever reads it. */
final class SubmissionEventsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static List<String> events(Trial trial) {
    return StoredEvents.of(JOURNAL.database(), trial.id);
  }

  private static NewEntry resultEntry(String callId) {
    return entry("result-" + callId, "done").toBuilder().setToolCallId(callId).build();
  }

  private static void takeOver(Trial trial, String attempt) {
    trial.recoveries.takeOver(
        TakeOverRequest.newBuilder()
            .setSubmissionId(trial.id)
            .setAttemptId(attempt)
            .setForce(true)
            .setLease(LeaseRequest.newBuilder().setOwner("owner-" + attempt))
            .build());
  }

  private static void suspend(Trial trial, String attempt, String... waitIds) {
    SuspendSubmissionRequest.Builder request =
        SuspendSubmissionRequest.newBuilder().setAttempt(trial.ref(attempt));
    for (String waitId : waitIds) {
      request.addWaits(NewWait.newBuilder().setWaitId(waitId));
    }
    trial.submissions.suspendSubmission(request.build());
  }

  private static void resume(Trial trial, String waitId) {
    trial.submissions.resumeSubmission(
        ResumeSubmissionRequest.newBuilder().setSubmissionId(trial.id).setWaitId(waitId).build());
  }

  private static void abort(Trial trial) {
    trial.submissions.requestAbort(
        RequestAbortRequest.newBuilder().setSubmissionId(trial.id).setReason("enough").build());
  }

  private static void requeue(Trial trial, String attempt) {
    trial.submissions.requeueSubmission(
        RequeueSubmissionRequest.newBuilder().setAttempt(trial.ref(attempt)).build());
  }

  @Test
  void every_transition_is_an_event_in_its_order() {
    Trial trial = Trial.queued(JOURNAL);
    trial.claim("a");
    requeue(trial, "a");
    trial.claim("b");
    trial.begun("b", "t1");
    trial.start("b", "t1", ProviderStart.getDefaultInstance());
    trial.put("b", trial.streamKey("t1", "b"), 0, "abc");
    trial.replace("b", "c");
    trial.put("c", trial.streamKey("t1", "b"), 3, "de");
    suspend(trial, "c", "w1", "w2");
    resume(trial, "w1");
    resume(trial, "w2");
    trial.claim("d");
    trial.turns.beginTurnJournal(
        trial.begin("d", "t2").setStart(ProviderStart.newBuilder()).build());
    trial.put("d", trial.streamKey("t2", "d"), 0, "x");
    trial.request("d", "t2", call("c1"), call("c2"));
    trial.update("d", "t2", start("c1"));
    takeOver(trial, "e");
    trial.update("e", "t2", result("c1", resultEntry("c1")), start("c2"));
    trial.update("e", "t2", result("c2", resultEntry("c2")));
    trial.commit("e", "t2");
    trial.turns.beginTurnJournal(
        trial.begin("e", "t3").setStart(ProviderStart.newBuilder()).build());
    trial.put("e", trial.streamKey("t3", "e"), 0, "yz");
    abort(trial);
    trial.turns.commitTurnJournal(trial.committing("e", "t3").setSettle(completed("done")).build());
    assertEquals(
        List.of(
            "QUEUED",
            "RUNNING",
            "QUEUED",
            "RUNNING",
            "turn t1 1",
            "opened t1",
            "taken over by c of owner-b @3",
            "WAITING for w1,w2 @5",
            "WAITING for w2 @5",
            "WAITING @5",
            "RUNNING @5",
            "turn t2 2",
            "opened t2",
            "calls t2 c1=RECORDED c2=RECORDED",
            "calls t2 c1=STARTED",
            "taken over by e of owner-e",
            "calls t2 c1=RESULT c2=STARTED",
            "calls t2 c2=RESULT",
            "committed t2",
            "turn t3 3",
            "opened t3",
            "abort enough @2",
            "committed t3",
            "SETTLED COMPLETED"),
        events(trial));
  }

  @Test
  void claim_of_an_expired_submission_is_a_take_over() {
    Trial trial = Trial.started(JOURNAL);
    trial.put("a", trial.streamKey("t1", "a"), 0, "ab");
    trial.stored.expireLease();
    trial.claim("b");
    assertEquals(
        List.of("QUEUED", "RUNNING", "turn t1 1", "opened t1", "taken over by b of owner-b @2"),
        events(trial));
  }

  @Test
  void claim_next_of_a_queued_or_recoverable_one_is_an_event_and_a_stream_that_ended_is_none() {
    String queue = "queue-" + UUID.randomUUID();
    Trial trial = Trial.queued(JOURNAL, queue);
    claimNext(queue, "a");
    trial.turns.beginTurnJournal(
        trial.begin("a", "t1").setStart(ProviderStart.newBuilder()).build());
    trial.consume("a", "t1", trial.streamKey("t1", "a"));
    trial.submissions.requestRecovery(
        RequestRecoveryRequest.newBuilder().setAttempt(trial.ref("a")).build());
    claimNext(queue, "b");
    assertEquals(
        List.of("QUEUED", "RUNNING", "turn t1 1", "opened t1", "taken over by b of next"),
        events(trial));
  }

  private static void claimNext(String queue, String attempt) {
    SubmissionCaller.on(JOURNAL.channel())
        .stub()
        .claimNextSubmission(
            ClaimNextSubmissionRequest.newBuilder()
                .setAttemptId(attempt)
                .setLease(LeaseRequest.newBuilder().setOwner("next"))
                .addQueues(queue)
                .build());
  }

  @Test
  void abort_settles_what_does_not_run_after_its_own_event() {
    Trial queued = Trial.queued(JOURNAL);
    abort(queued);
    assertEquals(List.of("QUEUED", "abort enough", "SETTLED ABORTED"), events(queued));
    Trial waiting = Trial.started(JOURNAL);
    waiting.put("a", waiting.streamKey("t1", "a"), 0, "abcd");
    suspend(waiting, "a", "w");
    abort(waiting);
    assertEquals(
        List.of("WAITING for w @4", "abort enough @4", "SETTLED ABORTED"),
        events(waiting).subList(4, 7));
    assertEquals(7, events(waiting).size());
  }

  @Test
  void aborted_submission_that_is_given_up_is_settled_instead() {
    Trial requeued = Trial.running(JOURNAL);
    abort(requeued);
    requeue(requeued, "a");
    assertEquals(List.of("QUEUED", "RUNNING", "abort enough", "SETTLED ABORTED"), events(requeued));
    Trial suspended = Trial.running(JOURNAL);
    abort(suspended);
    suspend(suspended, "a", "w");
    assertEquals(
        List.of("QUEUED", "RUNNING", "abort enough", "SETTLED ABORTED"), events(suspended));
  }

  @Test
  void repeats_and_refused_calls_write_no_event() {
    Trial trial = Trial.requested(JOURNAL);
    trial.update("a", "t1", start("c1"));
    List<String> before = events(trial);
    trial.claim("a");
    trial.request("a", "t1", call("c1"), call("c2"));
    trial.update("a", "t1", start("c1"));
    Refused.from(() -> trial.claim("b"));
    Refused.from(() -> trial.begun("b", "t2"));
    Refused.from(() -> trial.update("a", "t1", start("c2"), start("c1"), start("c9")));
    Refused.from(() -> trial.commit("b", "t1"));
    Refused.from(() -> trial.settle("a", completed("not yet")));
    Refused.from(() -> trial.replace("b", "c"));
    Refused.from(() -> requeue(trial, "a"));
    Refused.from(() -> suspend(trial, "b", "w"));
    assertEquals(before, events(trial));
    trial.settle("a", failed());
    List<String> settled = events(trial);
    trial.settle("a", failed());
    abort(trial);
    assertEquals(settled, events(trial));
    assertEquals("SETTLED FAILED", settled.get(settled.size() - 1));
  }

  @Test
  void arguments_of_tool_calls_are_left_out() {
    Trial trial = Trial.started(JOURNAL);
    NewToolCall large =
        call("c1").toBuilder()
            .setArguments(com.google.protobuf.ByteString.copyFrom(new byte[100_000]))
            .build();
    trial.request("a", "t1", large);
    assertTrue(trial.stored.all().stream().anyMatch(row -> row.contains("TOOL_CALLS_CHANGED")));
    trial.stored.all().stream()
        .filter(row -> row.contains("TOOL_CALLS_CHANGED"))
        .forEach(row -> assertTrue(row.length() < 2_000, row.length() + " characters"));
  }

  @Test
  void calls_that_write_side_by_side_leave_no_hole_and_no_repeat() {
    Trial trial = Trial.started(JOURNAL);
    NewToolCall[] calls =
        IntStream.range(0, 40).mapToObj(i -> call("c" + i)).toArray(NewToolCall[]::new);
    trial.request("a", "t1", calls);
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (int writer = 0; writer < 4; writer++) {
      int first = writer;
      running.add(
          CompletableFuture.runAsync(
              () -> {
                for (int i = first; i < calls.length; i += 4) {
                  trial.update("a", "t1", start("c" + i));
                }
              }));
    }
    running.forEach(CompletableFuture::join);
    List<String> events = events(trial);
    assertEquals(5 + calls.length, events.size());
    assertEquals(
        calls.length,
        events.stream().filter(event -> event.endsWith("=STARTED")).distinct().count());
  }

  @Test
  void deleting_the_session_deletes_the_list() {
    Trial trial = Trial.committed(JOURNAL);
    trial.settle("a", completed("done"));
    SessionServiceGrpc.newBlockingStub(JOURNAL.channel())
        .deleteSession(DeleteSessionRequest.newBuilder().setSessionKey(trial.session).build());
    assertEquals(List.of(), events(trial));
  }
}

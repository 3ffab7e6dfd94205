package io.agentjournal.submission;

import static io.agentjournal.submission.SubmissionCaller.OWNER;
import static io.agentjournal.submission.SubmissionCaller.admission;
import static io.agentjournal.submission.SubmissionCaller.attempt;
import static io.agentjournal.submission.SubmissionCaller.fresh;
import static io.agentjournal.submission.SubmissionCaller.lease;
import static io.agentjournal.submission.SubmissionCaller.seconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.TestPostgres;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.ClaimNextSubmissionRequest;
import io.agentjournal.v1.ClaimNextSubmissionResponse;
import io.agentjournal.v1.ClaimSource;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ListAttemptMarkersRequest;
import io.agentjournal.v1.MarkInputAppliedRequest;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.RequestRecoveryRequest;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionStatus;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;

final class ClaimNextSubmissionTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);
  private final String queue = fresh("queue");

  private ClaimNextSubmissionRequest.Builder request(String attemptId) {
    return ClaimNextSubmissionRequest.newBuilder()
        .setAttemptId(attemptId)
        .setLease(lease(OWNER, seconds(600)))
        .addQueues(queue);
  }

  private ClaimNextSubmissionResponse next(ClaimNextSubmissionRequest.Builder request) {
    return calls
        .stub()
        .withDeadlineAfter(20, TimeUnit.SECONDS)
        .claimNextSubmission(request.build());
  }

  /** For calls that are to come back without anything. */
  private ClaimNextSubmissionResponse nextSoon(ClaimNextSubmissionRequest.Builder request) {
    return calls.stub().withDeadlineAfter(4, TimeUnit.SECONDS).claimNextSubmission(request.build());
  }

  private ListenableFuture<ClaimNextSubmissionResponse> await(
      Channel channel, ClaimNextSubmissionRequest.Builder request) {
    return SubmissionServiceGrpc.newFutureStub(channel)
        .withDeadlineAfter(60, TimeUnit.SECONDS)
        .claimNextSubmission(request.build());
  }

  private String admitted() {
    String id = fresh("sub");
    calls.stub().admitSubmission(admission(fresh("session"), id).setQueue(queue).build());
    return id;
  }

  @Test
  void oldest_of_the_queue_comes_with_its_plan() {
    String first = admitted();
    String second = admitted();
    String attemptId = fresh("attempt");
    ClaimNextSubmissionResponse got = next(request(attemptId));
    assertTrue(got.getApplied());
    assertEquals(first, got.getSubmission().getSubmissionId());
    assertEquals(attemptId, got.getSubmission().getAttemptId());
    assertEquals(OWNER, got.getSubmission().getLease().getOwner());
    assertEquals(RecoveryAction.RECOVERY_ACTION_APPLY_INPUT, got.getPlan().getAction());
    assertEquals(second, next(request(fresh("attempt"))).getSubmission().getSubmissionId());
  }

  @Test
  void recoverable_ones_come_first_with_their_slot() {
    AttemptRef crashed = calls.claimed(admitted());
    TurnJournalServiceGrpc.newBlockingStub(JOURNAL.channel())
        .beginTurnJournal(
            BeginTurnJournalRequest.newBuilder()
                .setAttempt(crashed)
                .setTurnId("t1")
                .setStart(ProviderStart.getDefaultInstance())
                .build());
    String queued = admitted();
    rows.endLease(crashed.getSubmissionId());
    ClaimNextSubmissionResponse got = next(request(fresh("attempt")));
    assertEquals(crashed.getSubmissionId(), got.getSubmission().getSubmissionId());
    assertEquals("t1", got.getJournal().getTurnId());
    assertEquals(got.getSubmission().getAttemptId(), got.getJournal().getAttemptId());
    assertEquals(RecoveryAction.RECOVERY_ACTION_CALL_MODEL_AGAIN, got.getPlan().getAction());
    assertEquals(queued, next(request(fresh("attempt"))).getSubmission().getSubmissionId());
  }

  @Test
  void source_and_queues_choose() {
    AttemptRef expired = calls.claimed(admitted());
    rows.endLease(expired.getSubmissionId());
    String queued = admitted();
    assertEquals(
        queued,
        next(request(fresh("attempt")).setSource(ClaimSource.CLAIM_SOURCE_QUEUED))
            .getSubmission()
            .getSubmissionId());
    assertEquals(
        expired.getSubmissionId(),
        next(request(fresh("attempt")).setSource(ClaimSource.CLAIM_SOURCE_RECOVERABLE))
            .getSubmission()
            .getSubmissionId());
    admitted();
    ClaimNextSubmissionRequest.Builder elsewhere =
        request(fresh("attempt")).clearQueues().addQueues(fresh("queue"));
    assertFalse(nextSoon(elsewhere).hasSubmission());
    assertTrue(next(elsewhere.addQueues(queue).setAttemptId(fresh("attempt"))).hasSubmission());
  }

  @Test
  void without_work_it_answers_without_a_submission_shortly_before_the_deadline() {
    long start = System.nanoTime();
    ClaimNextSubmissionResponse got = nextSoon(request(fresh("attempt")));
    long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    assertFalse(got.hasSubmission());
    assertTrue(waited >= 2_000 && waited < 4_000, "after " + waited + " ms");
  }

  /** The answer is lost, the call is repeated. */
  @Test
  void same_attempt_and_owner_again_gets_what_the_first_call_claimed() {
    String first = admitted();
    admitted();
    String attemptId = fresh("attempt");
    next(request(attemptId));
    ClaimNextSubmissionResponse repeat = next(request(attemptId));
    assertFalse(repeat.getApplied());
    assertEquals(first, repeat.getSubmission().getSubmissionId());
    assertEquals(1, repeat.getSubmission().getAttemptCount());
  }

  /**
   * Submission, slot and plan as of one moment: none may be from before a change, one from after.
   */
  @Test
  void repeat_waits_for_what_is_being_changed_under_its_submission() throws Exception {
    String id = admitted();
    String attemptId = fresh("attempt");
    next(request(attemptId));
    try (Connection other = TestPostgres.connect(JOURNAL.database());
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      // As BeginTurnJournal does.
      statement.execute("SELECT FROM submissions WHERE submission_id = '" + id + "' FOR SHARE");
      ListenableFuture<ClaimNextSubmissionResponse> repeat =
          await(JOURNAL.channel(), request(attemptId));
      Wait.until("the repeat waits or answers", () -> repeat.isDone() || isWaitedFor(other));
      assertFalse(repeat.isDone());
      other.commit();
      assertEquals(id, repeat.get(30, TimeUnit.SECONDS).getSubmission().getSubmissionId());
    }
  }

  private boolean isWaitedFor(Connection holder) {
    try {
      int pid = holder.unwrap(PGConnection.class).getBackendPID();
      return rows.count(
              "SELECT count(*) FROM pg_stat_activity WHERE ? = ANY (pg_blocking_pids(pid))", pid)
          > 0;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void attempt_is_not_given_what_it_holds_by_another_call() {
    String id = admitted();
    String attemptId = fresh("attempt");
    calls.claim(attempt(id, attemptId));
    var unused =
        calls
            .stub()
            .requestRecovery(RequestRecoveryRequest.newBuilder().setSubmissionId(id).build());
    assertFalse(nextSoon(request(attemptId)).hasSubmission());
    assertEquals(attemptId, calls.submission(id).getAttemptId());
  }

  @Test
  void attempt_id_that_has_got_something_gets_nothing_else() {
    String attemptId = fresh("attempt");
    String id = admitted();
    next(request(attemptId));
    calls.settle(attempt(id, attemptId), Outcome.OUTCOME_COMPLETED);
    String other = admitted();
    Refused.from(() -> next(request(attemptId)))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ATTEMPT_USED,
            "submission_id",
            id,
            "attempt_id",
            attemptId);
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_QUEUED, calls.submission(other).getStatus());
    String held = fresh("attempt");
    next(request(held));
    Refused.from(() -> next(request(held).setLease(lease("somebody-else", seconds(30)))))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ATTEMPT_USED);
  }

  @Test
  void waiting_call_gets_what_is_admitted_later_through_whichever_server() throws Exception {
    JournalServer another = JOURNAL.anotherServer();
    ManagedChannel channel = JournalExtension.channelTo(another);
    try {
      ListenableFuture<ClaimNextSubmissionResponse> answer =
          await(channel, request(fresh("attempt")));
      assertFalse(nextSoon(request(fresh("attempt"))).hasSubmission());
      assertFalse(answer.isDone());
      String id = admitted();
      assertEquals(id, answer.get(20, TimeUnit.SECONDS).getSubmission().getSubmissionId());
    } finally {
      channel.shutdownNow();
      another.close();
    }
  }

  @Test
  void waiting_call_gets_what_becomes_recoverable_and_what_comes_next_in_a_session()
      throws Exception {
    AttemptRef first = calls.claimed(admitted());
    ListenableFuture<ClaimNextSubmissionResponse> answer =
        await(JOURNAL.channel(), request(fresh("attempt")));
    rows.endLease(first.getSubmissionId());
    ClaimNextSubmissionResponse taken = answer.get(20, TimeUnit.SECONDS);
    assertEquals(first.getSubmissionId(), taken.getSubmission().getSubmissionId());
    String behind = fresh("sub");
    calls
        .stub()
        .admitSubmission(
            admission(taken.getSubmission().getSessionKey(), behind).setQueue(queue).build());
    answer = await(JOURNAL.channel(), request(fresh("attempt")));
    calls.settle(
        attempt(first.getSubmissionId(), taken.getSubmission().getAttemptId()),
        Outcome.OUTCOME_COMPLETED);
    assertEquals(behind, answer.get(20, TimeUnit.SECONDS).getSubmission().getSubmissionId());
  }

  @Test
  void spent_and_aborted_ones_are_left_to_the_server() {
    String spent = fresh("sub");
    calls
        .stub()
        .admitSubmission(
            admission(fresh("session"), spent).setQueue(queue).setMaxAttempts(1).build());
    calls.claimed(spent);
    rows.endLease(spent);
    assertFalse(nextSoon(request(fresh("attempt"))).hasSubmission());
  }

  @Test
  void cancelled_call_that_waits_claims_nothing() {
    ListenableFuture<ClaimNextSubmissionResponse> answer =
        await(JOURNAL.channel(), request(fresh("attempt")));
    assertFalse(nextSoon(request(fresh("attempt"))).hasSubmission());
    answer.cancel(true);
    // One that waits beside it is woken first, if it is still there.
    String id = admitted();
    assertEquals(id, next(request(fresh("attempt"))).getSubmission().getSubmissionId());
  }

  /** As if the call had been cancelled between the claim and the answer. */
  @Test
  void claim_of_a_cancelled_call_is_given_back_and_costs_nothing() {
    String id = admitted();
    NextClaimStore store = store();
    NextClaim claim = claim(fresh("attempt"));
    store.claim(claim);
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_RUNNING, calls.submission(id).getStatus());
    store.giveBack(claim);
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_QUEUED, calls.submission(id).getStatus());
    assertEquals(0, calls.submission(id).getAttemptCount());
    assertEquals(
        io.agentjournal.v1.AttemptEnd.ATTEMPT_END_GIVEN_BACK,
        calls
            .stub()
            .listAttemptMarkers(ListAttemptMarkersRequest.newBuilder().setSubmissionId(id).build())
            .getMarkers(0)
            .getEnd());
    // The caller comes again, with the same id.
    ClaimNextSubmissionResponse retry = next(request(claim.attemptId()));
    assertTrue(retry.getApplied());
    assertEquals(id, retry.getSubmission().getSubmissionId());
  }

  @Test
  void what_a_retry_was_told_of_is_not_given_back_by_the_first_call() {
    String id = admitted();
    NextClaimStore store = store();
    NextClaim first = claim(fresh("attempt"));
    store.claim(first);
    assertFalse(next(request(first.attemptId())).getApplied());
    store.giveBack(first);
    assertEquals(first.attemptId(), calls.submission(id).getAttemptId(), "the retry has it still");
  }

  /** The first call reaches the server late, when its caller has given it up and come again. */
  @Test
  void what_a_retry_claimed_is_not_given_back_by_an_earlier_call_that_comes_late() {
    String id = admitted();
    NextClaimStore store = store();
    NextClaim late = claim(fresh("attempt"));
    assertTrue(next(request(late.attemptId())).getApplied());
    assertTrue(store.repeat(late).isPresent());
    store.giveBack(late);
    assertEquals(late.attemptId(), calls.submission(id).getAttemptId(), "the retry has it still");
  }

  @Test
  void of_two_calls_with_one_attempt_id_that_wait_both_are_told_what_it_got() throws Exception {
    ClaimNextSubmissionRequest.Builder request = request(fresh("attempt"));
    List<ListenableFuture<ClaimNextSubmissionResponse>> answers = new ArrayList<>();
    for (int call = 0; call < 2; call++) {
      answers.add(
          SubmissionServiceGrpc.newFutureStub(JOURNAL.channel())
              .withDeadlineAfter(4, TimeUnit.SECONDS)
              .claimNextSubmission(request.build()));
    }
    String id = admitted();
    int applied = 0;
    for (ListenableFuture<ClaimNextSubmissionResponse> answer : answers) {
      ClaimNextSubmissionResponse got = answer.get(20, TimeUnit.SECONDS);
      assertEquals(id, got.getSubmission().getSubmissionId());
      applied += got.getApplied() ? 1 : 0;
    }
    assertEquals(1, applied);
  }

  @Test
  void worker_of_a_hundred_queues_gets_the_oldest_of_them_all() {
    ClaimNextSubmissionRequest.Builder request = request(fresh("attempt")).clearQueues();
    for (int i = 0; i < 50; i++) {
      request.addQueues(fresh("queue"));
    }
    request.addQueues(queue);
    for (int i = 0; i < 49; i++) {
      request.addQueues(fresh("queue"));
    }
    String first = admitted();
    calls
        .stub()
        .admitSubmission(
            admission(fresh("session"), fresh("sub")).setQueue(request.getQueues(7)).build());
    assertEquals(first, next(request).getSubmission().getSubmissionId());
    assertEquals(
        request.getQueues(7),
        next(request.setAttemptId(fresh("attempt"))).getSubmission().getQueue());
  }

  @Test
  void taken_over_submission_is_given_back_to_the_next_taker() {
    AttemptRef crashed = calls.claimed(admitted());
    calls.stub().markInputApplied(MarkInputAppliedRequest.newBuilder().setAttempt(crashed).build());
    rows.endLease(crashed.getSubmissionId());
    NextClaimStore store = store();
    NextClaim claim = claim(fresh("attempt"));
    store.claim(claim);
    assertEquals(2, calls.submission(crashed.getSubmissionId()).getAttemptCount());
    store.giveBack(claim);
    ClaimNextSubmissionResponse got = next(request(fresh("attempt")));
    assertEquals(crashed.getSubmissionId(), got.getSubmission().getSubmissionId());
    assertEquals(1, got.getSubmission().getAttemptCount(), "as if it had not been");
  }

  private NextClaimStore store() {
    return StoresOnDatabase.nextClaims(JOURNAL.database());
  }

  private NextClaim claim(String attemptId) {
    return new NextClaim(
        io.agentjournal.key.Namespace.DEFAULT,
        attemptId,
        new LeaseGrant(OWNER, java.time.Duration.ofSeconds(30)),
        List.of(queue),
        NextClaim.Source.ANY);
  }

  @Test
  void every_submission_goes_to_one_of_many_workers_on_two_servers() throws Exception {
    JournalServer another = JOURNAL.anotherServer();
    ManagedChannel channel = JournalExtension.channelTo(another);
    try {
      List<ListenableFuture<ClaimNextSubmissionResponse>> answers = new ArrayList<>();
      for (int worker = 0; worker < 40; worker++) {
        answers.add(
            await(worker % 2 == 0 ? channel : JOURNAL.channel(), request(fresh("attempt"))));
      }
      Set<String> admitted = new HashSet<>();
      for (int i = 0; i < 40; i++) {
        admitted.add(admitted());
      }
      Set<String> claimed = new HashSet<>();
      for (ListenableFuture<ClaimNextSubmissionResponse> answer : answers) {
        claimed.add(answer.get(40, TimeUnit.SECONDS).getSubmission().getSubmissionId());
      }
      assertEquals(admitted, claimed);
      assertEquals(
          40,
          rows.count(
              """
              SELECT count(*) FROM attempts WHERE submission_id IN (SELECT submission_id FROM submissions WHERE queue = ?)
              """,
              queue),
          "none was claimed twice");
    } finally {
      channel.shutdownNow();
      another.close();
    }
  }

  @Test
  void thousands_of_idle_workers_leave_the_server_to_others() throws Exception {
    List<ListenableFuture<ClaimNextSubmissionResponse>> answers = new ArrayList<>();
    for (int worker = 0; worker < 3_000; worker++) {
      answers.add(await(JOURNAL.channel(), request(fresh("attempt"))));
    }
    // Behind all of them in every queue of the server.
    String id = calls.admitted();
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_QUEUED, calls.submission(id).getStatus());
    String work = admitted();
    Wait.until("one of them has it", () -> answers.stream().anyMatch(ListenableFuture::isDone));
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_RUNNING, calls.submission(work).getStatus());
    answers.forEach(answer -> answer.cancel(true));
  }

  @Test
  void waiting_calls_answer_when_the_server_goes_away() throws Exception {
    JournalServer another = JOURNAL.anotherServer();
    ManagedChannel channel = JournalExtension.channelTo(another);
    try {
      ListenableFuture<ClaimNextSubmissionResponse> answer =
          await(channel, request(fresh("attempt")));
      SubmissionCaller.on(channel).admitted();
      another.close();
      assertFalse(answer.get(10, TimeUnit.SECONDS).hasSubmission());
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void fields_are_refused_by_name() {
    Refused.from(() -> next(request("")))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "attempt_id");
    Refused.from(() -> next(request("a").clearLease()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "lease.owner");
    ClaimNextSubmissionRequest.Builder many = request("a");
    for (int i = 0; i < 100; i++) {
      many.addQueues("q" + i);
    }
    Refused.from(() -> next(many))
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_TOO_LARGE, "field", "queues");
  }
}

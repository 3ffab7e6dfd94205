package io.agentjournal.submission;

import static io.agentjournal.submission.SubmissionCaller.OWNER;
import static io.agentjournal.submission.SubmissionCaller.admission;
import static io.agentjournal.submission.SubmissionCaller.attempt;
import static io.agentjournal.submission.SubmissionCaller.fresh;
import static io.agentjournal.submission.SubmissionCaller.seconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.RenewLeasesRequest;
import io.agentjournal.v1.RenewLeasesResponse;
import io.agentjournal.v1.Renewal;
import io.agentjournal.v1.RenewalState;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class RenewLeasesTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);

  private Renewal renew(AttemptRef attempt) {
    return calls
        .stub()
        .renewLeases(RenewLeasesRequest.newBuilder().addAttempts(attempt).build())
        .getRenewals(0);
  }

  private static ListenableFuture<RenewLeasesResponse> await(
      Channel channel, List<AttemptRef> attempts) {
    return SubmissionServiceGrpc.newFutureStub(channel)
        .renewLeases(
            RenewLeasesRequest.newBuilder()
                .addAllAttempts(attempts)
                .setDuration(seconds(120))
                .setWait(seconds(60))
                .build());
  }

  private void requestAbort(AttemptRef attempt) {
    rows.execute(
        "UPDATE submissions SET abort_requested_at = now(), abort_reason = 'user' WHERE submission_id = ?",
        attempt.getSubmissionId());
  }

  /** The renewal is written, and the call waits. */
  private void untilItWaits(AttemptRef attempt) {
    Wait.until(
        "the lease is renewed",
        () ->
            rows.count(
                    "SELECT lease_ms FROM submissions WHERE submission_id = ?",
                    attempt.getSubmissionId())
                == 120_000);
  }

  @Test
  void renewed_lease_lives_longer_and_is_told_as_it_is() {
    AttemptRef attempt = calls.claimed();
    rows.endLease(attempt.getSubmissionId());
    Renewal renewal = renew(attempt);
    assertEquals(RenewalState.RENEWAL_STATE_RENEWED, renewal.getState());
    assertEquals(attempt, renewal.getAttempt());
    assertEquals(OWNER, renewal.getLease().getOwner());
    assertTrue(renewal.getLease().getRemaining().getSeconds() >= 20);
    assertEquals(ErrorReason.ERROR_REASON_UNSPECIFIED, renewal.getReason());
    assertFalse(renewal.getAbortRequested());
    assertEquals(
        renewal.getLease().getExpiresAt(),
        calls.submission(attempt.getSubmissionId()).getLease().getExpiresAt());
  }

  @Test
  void renewal_never_shortens_a_lease() {
    AttemptRef attempt = attempt(calls.admitted(), fresh("attempt"));
    calls.claim(attempt, OWNER, seconds(600));
    var before = calls.submission(attempt.getSubmissionId()).getLease().getExpiresAt();
    calls
        .stub()
        .renewLeases(
            RenewLeasesRequest.newBuilder().addAttempts(attempt).setDuration(seconds(5)).build());
    assertEquals(before, calls.submission(attempt.getSubmissionId()).getLease().getExpiresAt());
  }

  @Test
  void renewal_never_reaches_past_the_timeout() {
    String id = fresh("sub");
    calls.stub().admitSubmission(admission(fresh("session"), id).setTimeout(seconds(40)).build());
    AttemptRef attempt = attempt(id, fresh("attempt"));
    calls.claim(attempt, OWNER, seconds(5));
    calls
        .stub()
        .renewLeases(
            RenewLeasesRequest.newBuilder()
                .addAttempts(attempt)
                .setDuration(seconds(3_600))
                .build());
    var submission = calls.submission(id);
    assertEquals(submission.getDeadlineAt(), submission.getLease().getExpiresAt());
  }

  @Test
  void past_the_timeout_it_is_refused_and_the_lease_runs_out() {
    AttemptRef attempt = calls.claimed();
    rows.letTimePass(attempt.getSubmissionId(), Duration.ofSeconds(3_601));
    Renewal renewal = renew(attempt);
    assertEquals(RenewalState.RENEWAL_STATE_REFUSED, renewal.getState());
    assertTrue(renewal.getLease().getRemaining().getSeconds() < 0);
    assertEquals(ErrorReason.ERROR_REASON_UNSPECIFIED, renewal.getReason());
  }

  /** The tests' channel takes answers of less than 4 MiB, as a stock client. */
  @Test
  void many_long_reasons_of_aborts_are_told_by_their_beginnings() {
    List<AttemptRef> attempts = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      attempts.add(calls.claimed());
    }
    String reason = "r".repeat(16 << 10);
    for (AttemptRef attempt : attempts) {
      rows.execute(
          "UPDATE submissions SET abort_requested_at = now(), abort_reason = ? WHERE submission_id = ?",
          reason,
          attempt.getSubmissionId());
    }
    RenewLeasesResponse answer =
        calls.stub().renewLeases(RenewLeasesRequest.newBuilder().addAllAttempts(attempts).build());
    assertEquals("r".repeat(200), answer.getRenewals(299).getAbortReason());
  }

  @Test
  void ids_of_all_attempts_have_512_kib_together() {
    List<AttemptRef> attempts = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      attempts.add(attempt("s".repeat(500), "%03d".formatted(i) + "a".repeat(500)));
    }
    Refused.from(
            () ->
                calls
                    .stub()
                    .renewLeases(RenewLeasesRequest.newBuilder().addAllAttempts(attempts).build()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_TOO_LARGE,
            "field",
            "attempts",
            "limit",
            "524288");
  }

  @Test
  void waiting_call_answers_before_its_deadline() {
    AttemptRef attempt = calls.claimed();
    RenewLeasesResponse answer =
        calls
            .stub()
            .withDeadlineAfter(2, TimeUnit.SECONDS)
            .renewLeases(
                RenewLeasesRequest.newBuilder()
                    .addAttempts(attempt)
                    .setDuration(seconds(120))
                    .setWait(seconds(60))
                    .build());
    assertEquals(RenewalState.RENEWAL_STATE_RENEWED, answer.getRenewals(0).getState());
  }

  @Test
  void abort_request_is_told_and_renewed_for_60_seconds_more() {
    AttemptRef attempt = calls.claimed();
    requestAbort(attempt);
    Renewal renewal = renew(attempt);
    assertEquals(RenewalState.RENEWAL_STATE_RENEWED, renewal.getState());
    assertTrue(renewal.getAbortRequested());
    assertEquals("user", renewal.getAbortReason());
    rows.execute(
        "UPDATE submissions SET abort_requested_at = now() - interval '61 s' WHERE submission_id = ?",
        attempt.getSubmissionId());
    Renewal late = renew(attempt);
    assertEquals(RenewalState.RENEWAL_STATE_REFUSED, late.getState());
    assertTrue(late.getAbortRequested());
  }

  @Test
  void each_is_renewed_by_itself_and_told_in_its_place() {
    AttemptRef good = calls.claimed();
    AttemptRef replaced = calls.claimed();
    rows.endLease(replaced.getSubmissionId());
    AttemptRef next = attempt(replaced.getSubmissionId(), fresh("attempt"));
    calls.claim(next, "worker-2", seconds(30));
    AttemptRef settled = calls.claimed();
    calls.settle(settled, Outcome.OUTCOME_FAILED);
    AttemptRef unknown = attempt("nobody-knows-it", "a");
    AttemptRef queued = attempt(calls.admitted(), "a");
    List<Renewal> renewals =
        calls
            .stub()
            .renewLeases(
                RenewLeasesRequest.newBuilder()
                    .addAllAttempts(List.of(unknown, settled, replaced, good, queued))
                    .build())
            .getRenewalsList();
    assertEquals(
        List.of(
            RenewalState.RENEWAL_STATE_NOT_FOUND,
            RenewalState.RENEWAL_STATE_SETTLED,
            RenewalState.RENEWAL_STATE_LOST,
            RenewalState.RENEWAL_STATE_RENEWED,
            RenewalState.RENEWAL_STATE_LOST),
        renewals.stream().map(Renewal::getState).toList());
    assertEquals(ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND, renewals.get(0).getReason());
    assertEquals(ErrorReason.ERROR_REASON_ALREADY_SETTLED, renewals.get(1).getReason());
    assertEquals("FAILED", renewals.get(1).getFactsOrThrow("outcome"));
    assertEquals(ErrorReason.ERROR_REASON_STALE_ATTEMPT, renewals.get(2).getReason());
    assertEquals(next.getAttemptId(), renewals.get(2).getFactsOrThrow("current_attempt_id"));
    assertEquals("worker-2", renewals.get(2).getFactsOrThrow("current_owner"));
    assertFalse(renewals.get(2).hasLease());
  }

  @Test
  void waiting_call_answers_early_when_one_is_taken_over() throws Exception {
    AttemptRef kept = calls.claimed();
    AttemptRef lost = calls.claimed();
    ListenableFuture<RenewLeasesResponse> answer = await(JOURNAL.channel(), List.of(kept, lost));
    untilItWaits(lost);
    rows.endLease(lost.getSubmissionId());
    calls.claimed(lost.getSubmissionId());
    List<Renewal> renewals = answer.get(10, TimeUnit.SECONDS).getRenewalsList();
    assertEquals(RenewalState.RENEWAL_STATE_RENEWED, renewals.get(0).getState());
    assertEquals(RenewalState.RENEWAL_STATE_LOST, renewals.get(1).getState());
  }

  /** The one who takes over waits on the same server: its row is as it should be only for one. */
  @Test
  void waiting_call_hears_of_it_also_when_the_next_attempt_waits_beside_it() throws Exception {
    AttemptRef lost = calls.claimed();
    ListenableFuture<RenewLeasesResponse> answer = await(JOURNAL.channel(), List.of(lost));
    untilItWaits(lost);
    rows.endLease(lost.getSubmissionId());
    AttemptRef next = calls.claimed(lost.getSubmissionId());
    ListenableFuture<RenewLeasesResponse> other = await(JOURNAL.channel(), List.of(next));
    assertEquals(
        RenewalState.RENEWAL_STATE_LOST,
        answer.get(10, TimeUnit.SECONDS).getRenewals(0).getState());
    assertFalse(other.isDone());
    other.cancel(true);
  }

  @Test
  void waiting_call_answers_early_when_an_abort_is_requested_through_another_server()
      throws Exception {
    AttemptRef attempt = calls.claimed();
    JournalServer another = JOURNAL.anotherServer();
    ManagedChannel channel = JournalExtension.channelTo(another);
    try {
      ListenableFuture<RenewLeasesResponse> answer = await(channel, List.of(attempt));
      untilItWaits(attempt);
      requestAbort(attempt);
      assertTrue(answer.get(10, TimeUnit.SECONDS).getRenewals(0).getAbortRequested());
    } finally {
      channel.shutdownNow();
      another.close();
    }
  }

  @Test
  void waiting_call_answers_when_its_time_is_over() throws Exception {
    AttemptRef attempt = calls.claimed();
    long start = System.nanoTime();
    Renewal renewal =
        calls
            .stub()
            .renewLeases(
                RenewLeasesRequest.newBuilder()
                    .addAttempts(attempt)
                    .setDuration(seconds(2))
                    .setWait(seconds(1))
                    .build())
            .getRenewals(0);
    assertEquals(RenewalState.RENEWAL_STATE_RENEWED, renewal.getState());
    assertTrue(System.nanoTime() - start >= TimeUnit.SECONDS.toNanos(1));
  }

  @Test
  void waiting_calls_answer_when_the_server_goes_away() throws Exception {
    AttemptRef attempt = calls.claimed();
    JournalServer another = JOURNAL.anotherServer();
    ManagedChannel channel = JournalExtension.channelTo(another);
    try {
      ListenableFuture<RenewLeasesResponse> answer = await(channel, List.of(attempt));
      untilItWaits(attempt);
      another.close();
      assertEquals(
          RenewalState.RENEWAL_STATE_RENEWED,
          answer.get(10, TimeUnit.SECONDS).getRenewals(0).getState());
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void many_wait_at_once_without_a_thread_each() throws Exception {
    AttemptRef attempt = calls.claimed();
    List<ListenableFuture<RenewLeasesResponse>> answers = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      answers.add(await(JOURNAL.channel(), List.of(attempt)));
    }
    untilItWaits(attempt);
    // The pool is far smaller than the number of calls that wait: it still answers.
    assertEquals(RenewalState.RENEWAL_STATE_RENEWED, renew(attempt).getState());
    requestAbort(attempt);
    for (ListenableFuture<RenewLeasesResponse> answer : answers) {
      assertTrue(answer.get(20, TimeUnit.SECONDS).getRenewals(0).getAbortRequested());
    }
  }

  @Test
  void cancelled_call_waits_no_more() {
    AttemptRef attempt = calls.claimed();
    ListenableFuture<RenewLeasesResponse> answer = await(JOURNAL.channel(), List.of(attempt));
    untilItWaits(attempt);
    answer.cancel(true);
    assertThrows(CancellationException.class, answer::get);
    requestAbort(attempt);
    assertTrue(renew(attempt).getAbortRequested());
  }

  @Test
  void fields_out_of_range_are_refused_by_name() {
    AttemptRef attempt = attempt("s", "a");
    RenewLeasesRequest good = RenewLeasesRequest.newBuilder().addAttempts(attempt).build();
    refuse(RenewLeasesRequest.getDefaultInstance(), "attempts");
    refuse(good.toBuilder().setDuration(seconds(0)).build(), "duration");
    refuse(good.toBuilder().setDuration(seconds(3_601)).build(), "duration");
    refuse(good.toBuilder().setDuration(seconds(30)).setWait(seconds(16)).build(), "wait");
    RenewLeasesRequest.Builder many = RenewLeasesRequest.newBuilder();
    for (int i = 0; i < 1_001; i++) {
      many.addAttempts(attempt);
    }
    Refused.from(() -> calls.stub().renewLeases(many.build()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_TOO_LARGE,
            "field",
            "attempts",
            "size",
            "1001",
            "limit",
            "1000");
  }

  private void refuse(RenewLeasesRequest request, String field) {
    Refused.from(() -> calls.stub().renewLeases(request))
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", field);
  }
}

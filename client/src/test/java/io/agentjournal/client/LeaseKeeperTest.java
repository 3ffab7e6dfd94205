package io.agentjournal.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Lease;
import io.agentjournal.v1.RenewLeasesRequest;
import io.agentjournal.v1.RenewLeasesResponse;
import io.agentjournal.v1.Renewal;
import io.agentjournal.v1.RenewalState;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Against a real gRPC server whose answers the test writes, message by message. */
@Timeout(30)
final class LeaseKeeperTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final AttemptRef FIRST = attempt("first");
  private static final AttemptRef SECOND = attempt("second");

  private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final BlockingQueue<JournalException> losses = new LinkedBlockingQueue<>();
  private final LeaseListener listener =
      new LeaseListener() {
        @Override
        public void lost(AttemptRef attempt, JournalException why) {
          losses.add(why);
          told.add("lost " + attempt.getSubmissionId());
        }

        @Override
        public void abortRequested(AttemptRef attempt, String reason) {
          told.add("abort " + attempt.getSubmissionId() + " " + reason);
        }

        @Override
        public void runsOut(AttemptRef attempt, Duration left) {
          told.add("runs out " + attempt.getSubmissionId());
        }
      };
  private @Nullable Server server;

  /** A RenewLeases call that waits for the test's answer. */
  private record Call(RenewLeasesRequest request, StreamObserver<RenewLeasesResponse> answers) {
    void answer(Renewal.Builder... renewals) {
      RenewLeasesResponse.Builder answer = RenewLeasesResponse.newBuilder();
      for (Renewal.Builder renewal : renewals) {
        answer.addRenewals(renewal);
      }
      answers.onNext(answer.build());
      answers.onCompleted();
    }
  }

  private static AttemptRef attempt(String submissionId) {
    return AttemptRef.newBuilder().setSubmissionId(submissionId).setAttemptId("a").build();
  }

  private static Renewal.Builder renewed(AttemptRef attempt, Duration remaining) {
    return Renewal.newBuilder()
        .setAttempt(attempt)
        .setState(RenewalState.RENEWAL_STATE_RENEWED)
        .setLease(Lease.newBuilder().setRemaining(RenewalCall.duration(remaining)));
  }

  @BeforeEach
  void startServer() throws IOException {
    server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(
                new SubmissionServiceGrpc.SubmissionServiceImplBase() {
                  @Override
                  public void renewLeases(
                      RenewLeasesRequest request, StreamObserver<RenewLeasesResponse> answers) {
                    calls.add(new Call(request, answers));
                  }
                })
            .build()
            .start();
  }

  @AfterEach
  void stopServer() {
    if (server != null) {
      server.shutdownNow();
    }
  }

  private JournalClient client() {
    return JournalClient.to("127.0.0.1:" + (server == null ? 0 : server.getPort()))
        .plaintext()
        .build();
  }

  private Call nextCall() throws InterruptedException {
    Call call = calls.poll(20, TimeUnit.SECONDS);
    if (call == null) {
      throw new AssertionError("no call came");
    }
    return call;
  }

  private @Nullable String nextTold() throws InterruptedException {
    return told.poll(20, TimeUnit.SECONDS);
  }

  @Test
  void renews_at_once_and_then_in_calls_that_wait() throws InterruptedException {
    try (JournalClient client = client();
        LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(FIRST, LEASE);
      for (int i = 0; i < 3; i++) {
        Call call = nextCall();
        assertEquals(FIRST, call.request().getAttempts(0));
        assertEquals(30, call.request().getDuration().getSeconds());
        assertEquals(10, call.request().getWait().getSeconds());
        call.answer(renewed(FIRST, LEASE));
      }
      assertNull(told.poll());
    }
  }

  @Test
  void an_attempt_that_joins_is_renewed_without_waiting_for_the_call_under_way()
      throws InterruptedException {
    try (JournalClient client = client();
        LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(FIRST, LEASE);
      nextCall();
      keeper.keep(SECOND, LEASE);

      assertEquals(2, nextCall().request().getAttemptsCount());
    }
  }

  @Test
  void a_lost_lease_is_told_once_with_the_reason_and_not_renewed_again()
      throws InterruptedException {
    try (JournalClient client = client();
        LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(FIRST, LEASE);
      nextCall();
      keeper.keep(SECOND, LEASE);
      nextCall()
          .answer(
              Renewal.newBuilder()
                  .setAttempt(FIRST)
                  .setState(RenewalState.RENEWAL_STATE_LOST)
                  .setReason(ErrorReason.ERROR_REASON_STALE_ATTEMPT)
                  .putFacts("current_owner", "worker-2"),
              renewed(SECOND, LEASE));

      assertEquals("lost first", nextTold());
      JournalException why = losses.take();
      assertTrue(why.isFenced());
      assertEquals("worker-2", why.fact("current_owner"));
      RenewLeasesRequest next = nextCall().request();
      assertEquals(1, next.getAttemptsCount());
      assertEquals(SECOND, next.getAttempts(0));
    }
  }

  @Test
  void an_abort_is_told_once_and_the_lease_is_kept_by_calls_that_do_not_wait()
      throws InterruptedException {
    try (JournalClient client = client();
        LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(FIRST, LEASE);
      for (int i = 0; i < 3; i++) {
        Call call = nextCall();
        assertEquals(i == 0, call.request().hasWait());
        call.answer(renewed(FIRST, LEASE).setAbortRequested(true).setAbortReason("user"));
      }
      assertEquals("abort first user", nextTold());
      assertNull(told.poll());
    }
  }

  @Test
  void a_refused_renewal_runs_out_and_then_is_lost() throws InterruptedException {
    try (JournalClient client = client();
        LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(FIRST, Duration.ofMillis(300));
      nextCall()
          .answer(
              renewed(FIRST, Duration.ofMillis(300))
                  .setState(RenewalState.RENEWAL_STATE_REFUSED)
                  .setReason(ErrorReason.ERROR_REASON_BUDGET_SPENT));

      assertEquals("runs out first", nextTold());
      assertEquals("lost first", nextTold());
    }
  }

  /** B100 */
  @Test
  void a_lease_that_runs_out_while_nobody_answers_is_lost() throws InterruptedException {
    try (JournalClient client = client();
        LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(FIRST, Duration.ofMillis(300));

      assertEquals("lost first", nextTold());
      assertInstanceOf(JournalException.Unavailable.class, losses.take());
    }
  }

  @Test
  void a_call_that_is_cut_is_repeated() throws InterruptedException {
    try (JournalClient client = client();
        LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(FIRST, LEASE);
      nextCall().answers().onError(new StatusRuntimeException(Status.UNAVAILABLE));
      nextCall().answer(renewed(FIRST, LEASE));
      nextCall();
      assertNull(told.poll());
    }
  }

  @Test
  void a_call_that_is_not_allowed_loses_what_is_held() throws InterruptedException {
    try (JournalClient client = client();
        LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(FIRST, LEASE);
      nextCall().answers().onError(new StatusRuntimeException(Status.PERMISSION_DENIED));

      assertEquals("lost first", nextTold());
      assertInstanceOf(JournalException.Failed.class, losses.take());
    }
  }

  @Test
  void a_released_attempt_is_not_told_of() throws InterruptedException {
    try (JournalClient client = client();
        LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(FIRST, LEASE);
      nextCall();
      keeper.keep(SECOND, LEASE);
      Call call = nextCall();
      keeper.release(FIRST);
      call.answer(
          Renewal.newBuilder().setAttempt(FIRST).setState(RenewalState.RENEWAL_STATE_SETTLED),
          renewed(SECOND, LEASE));

      assertEquals(SECOND, nextCall().request().getAttempts(0));
      assertNull(told.poll());
    }
  }
}

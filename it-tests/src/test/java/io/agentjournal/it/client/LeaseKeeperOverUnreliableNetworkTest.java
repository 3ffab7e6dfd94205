package io.agentjournal.it.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.JournalException;
import io.agentjournal.client.LeaseKeeper;
import io.agentjournal.client.LeaseListener;
import io.agentjournal.it.StartedTurn;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.Lease;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.SettleSubmissionRequest;
import io.agentjournal.v1.Settlement;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc.SubmissionServiceBlockingStub;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
final class LeaseKeeperOverUnreliableNetworkTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static final Duration LEASE = Duration.ofSeconds(2);

  private final BlockingQueue<JournalException> losses = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> aborts = new LinkedBlockingQueue<>();
  private final LeaseListener listener =
      new LeaseListener() {
        @Override
        public void lost(AttemptRef attempt, JournalException why) {
          losses.add(why);
        }

        @Override
        public void abortRequested(AttemptRef attempt, String reason) {
          aborts.add(reason);
        }
      };
  private final UnreliableNetwork network = new UnreliableNetwork(JOURNAL.server().port());
  private final JournalClient client = JournalClient.to(network.target()).plaintext().build();
  private final SubmissionServiceBlockingStub submissions =
      SubmissionServiceGrpc.newBlockingStub(JOURNAL.channel());

  @AfterEach
  void close() {
    client.close();
    network.close();
  }

  private Submission submission(StartedTurn turn) {
    return submissions
        .getSubmission(
            GetSubmissionRequest.newBuilder()
                .setSubmissionId(turn.attempt().getSubmissionId())
                .build())
        .getSubmission();
  }

  private boolean isRenewedBeyond(StartedTurn turn, Duration more) {
    return expiry(submission(turn).getLease()).isAfter(expiry(turn.lease()).plus(more));
  }

  private static Instant expiry(Lease lease) {
    return Instant.ofEpochSecond(
        lease.getExpiresAt().getSeconds(), lease.getExpiresAt().getNanos());
  }

  private JournalException nextLoss() throws InterruptedException {
    JournalException loss = losses.poll(30, TimeUnit.SECONDS);
    if (loss == null) {
      throw new AssertionError("no loss was told");
    }
    return loss;
  }

  @Test
  void a_lease_is_kept_over_cuts() {
    StartedTurn turn = StartedTurn.on(JOURNAL.channel(), LEASE);
    try (LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(turn.attempt(), LEASE);
      for (int i = 1; i <= 3; i++) {
        network.cut();
        Duration more = LEASE.multipliedBy(i).dividedBy(2);
        Wait.until("the lease is renewed again", () -> isRenewedBeyond(turn, more));
      }

      assertEquals(turn.attempt().getAttemptId(), submission(turn).getAttemptId());
      assertTrue(losses.isEmpty());
    }
  }

  @Test
  void a_replaced_attempt_is_told() throws InterruptedException {
    StartedTurn turn = StartedTurn.on(JOURNAL.channel(), LEASE);
    try (LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(turn.attempt(), LEASE);
      AttemptRef next = turn.replaceAttempt(JOURNAL.channel());

      JournalException loss = nextLoss();
      assertEquals(ErrorReason.ERROR_REASON_STALE_ATTEMPT, loss.reason());
      assertEquals(next.getAttemptId(), loss.fact("current_attempt_id"));
    }
  }

  @Test
  void an_abort_is_told_and_the_lease_is_kept_on() throws InterruptedException {
    StartedTurn turn = StartedTurn.on(JOURNAL.channel(), LEASE);
    try (LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(turn.attempt(), LEASE);
      turn.requestAbort(JOURNAL.channel());

      assertEquals("a person", aborts.poll(30, TimeUnit.SECONDS));
      Wait.until("the lease is renewed on", () -> isRenewedBeyond(turn, LEASE));
      assertTrue(losses.isEmpty());
      assertTrue(aborts.isEmpty());
    }
  }

  @Test
  void a_settled_submission_is_told() throws InterruptedException {
    StartedTurn turn = StartedTurn.on(JOURNAL.channel(), LEASE);
    try (LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(turn.attempt(), LEASE);
      var unused =
          submissions.settleSubmission(
              SettleSubmissionRequest.newBuilder()
                  .setAttempt(turn.attempt())
                  .setSettlement(Settlement.newBuilder().setOutcome(Outcome.OUTCOME_FAILED))
                  .build());

      assertEquals(ErrorReason.ERROR_REASON_ALREADY_SETTLED, nextLoss().reason());
    }
  }

  /** B100: before anybody else may have it, the worker that is cut off is told. */
  @Test
  void a_worker_that_is_cut_off_is_told_before_its_lease_runs_out() throws InterruptedException {
    StartedTurn turn = StartedTurn.on(JOURNAL.channel(), LEASE);
    try (LeaseKeeper keeper = client.leaseKeeper(LEASE, listener)) {
      keeper.keep(turn.attempt(), LEASE);
      Wait.until("the lease is renewed", () -> isRenewedBeyond(turn, Duration.ZERO));
      network.refuseConnections(true);
      network.blackhole();

      JournalException loss = nextLoss();
      Duration left = Duration.ofSeconds(submission(turn).getLease().getRemaining().getSeconds());
      assertInstanceOf(JournalException.Unavailable.class, loss);
      assertTrue(left.compareTo(Duration.ofSeconds(-3)) > 0, () -> "told late, left " + left);
    }
  }
}

package io.agentjournal.it.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.client.ClaimedSubmission;
import io.agentjournal.client.FailurePolicy;
import io.agentjournal.client.JournalClient;
import io.agentjournal.client.JournalException;
import io.agentjournal.client.JournalWorker;
import io.agentjournal.client.JournalWorkerBuilder;
import io.agentjournal.client.SubmissionHandler;
import io.agentjournal.client.WorkOutcome;
import io.agentjournal.client.WorkerListener;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Trial;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.RequestAbortRequest;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionStatus;
import io.agentjournal.v1.TakeOverRequest;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A worker against the server, each test with a queue of its own. Most workers are not referred to:
 * they work by being there.
 */
@SuppressWarnings("try")
@Timeout(60)
final class JournalWorkerTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private static final Duration LEASE = Duration.ofSeconds(1);

  private final String queue = "queue-" + UUID.randomUUID();
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final CountDownLatch handling = new CountDownLatch(1);
  private JournalClient client;

  private final WorkerListener listener =
      new WorkerListener() {
        @Override
        public void lost(ClaimedSubmission claimed, JournalException why) {
          told.add("lost");
        }

        @Override
        public void failed(ClaimedSubmission claimed, Throwable thrown, WorkOutcome next) {
          told.add("failed " + thrown.getClass().getSimpleName());
        }

        @Override
        public void concluded(ClaimedSubmission claimed, WorkOutcome outcome) {
          told.add("concluded " + outcome.getClass().getSimpleName());
        }
      };

  @BeforeEach
  void connect() {
    client = JournalClient.to(SERVER.server().address()).plaintext().build();
  }

  @AfterEach
  void disconnect() {
    client.close();
  }

  @Test
  void what_is_queued_is_claimed_and_settled_as_the_handler_says() throws Exception {
    try (JournalWorker worker = worker(claimed -> completed("done")).start()) {
      Trial trial = Trial.queued(SERVER, queue);
      Trial other = Trial.queued(SERVER, queue);

      assertEquals(Outcome.OUTCOME_COMPLETED, settled(trial));
      assertEquals(Outcome.OUTCOME_COMPLETED, settled(other));
      assertEquals("done", trial.submission().getSettlement().getResult().getPayload().getText());
    }
  }

  @Test
  void what_another_left_behind_comes_with_its_slot_and_plan() throws Exception {
    Trial trial = Trial.expired(SERVER, queue);
    trial.claim("b");
    trial.begun("b", "t1");
    trial.start("b", "t1");
    trial.put("b", trial.streamKey("t1", "b"), 0, "abc");
    trial.stored.expireLease();
    BlockingQueue<ClaimedSubmission> got = new LinkedBlockingQueue<>();

    try (JournalWorker worker =
        worker(
                claimed -> {
                  got.add(claimed);
                  return WorkOutcome.failed("test", "no model");
                })
            .start()) {
      ClaimedSubmission claimed = got.take();

      assertEquals(RecoveryAction.RECOVERY_ACTION_CONTINUE_STREAM, claimed.plan().getAction());
      assertEquals(3, claimed.plan().getStream().getNextIndex());
      assertEquals("t1", Objects.requireNonNull(claimed.journal()).getTurnId());
      assertEquals(Outcome.OUTCOME_FAILED, settled(trial));
    }
  }

  @Test
  void lease_is_renewed_for_as_long_as_the_handler_works() throws Exception {
    Trial trial = Trial.queued(SERVER, queue);
    CountDownLatch end = new CountDownLatch(1);
    try (JournalWorker worker =
        worker(
                claimed -> {
                  handling.countDown();
                  end.await();
                  claimed.requireHeld();
                  return completed("done");
                })
            .start()) {
      handling.await();
      long first = trial.submission().getLease().getExpiresAt().getSeconds();
      Wait.until(
          "the lease ends later",
          () -> trial.submission().getLease().getExpiresAt().getSeconds() > first + 1);
      end.countDown();

      assertEquals(Outcome.OUTCOME_COMPLETED, settled(trial));
      assertEquals(1, trial.submission().getAttemptCount());
    }
  }

  @Test
  void handler_is_interrupted_when_another_takes_over_and_nothing_is_written() throws Exception {
    Trial trial = Trial.queued(SERVER, queue);
    try (JournalWorker worker = worker(this::workForEver).start()) {
      handling.await();
      long start = System.nanoTime();
      trial.recoveries.takeOver(
          TakeOverRequest.newBuilder()
              .setSubmissionId(trial.id)
              .setAttemptId("thief")
              .setForce(true)
              .setLease(io.agentjournal.v1.LeaseRequest.newBuilder().setOwner("thief"))
              .build());

      assertEquals("lost", told.poll(10, TimeUnit.SECONDS));
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      assertTrue(millis < 1_000, "told after " + millis + " ms");
      assertEquals("thief", trial.submission().getAttemptId());
      assertFalse(trial.submission().hasRecoveryRequestedAt());
    }
  }

  @Test
  void handler_is_interrupted_by_an_abort_and_its_submission_is_settled_aborted() throws Exception {
    Trial trial = Trial.queued(SERVER, queue);
    try (JournalWorker worker = worker(this::workForEver).start()) {
      handling.await();
      trial.submissions.requestAbort(
          RequestAbortRequest.newBuilder()
              .setSubmissionId(trial.id)
              .setReason("a person said so")
              .build());

      assertEquals(Outcome.OUTCOME_ABORTED, settled(trial));
      assertEquals(
          "a person said so", trial.submission().getSettlement().getFailure().getMessage());
    }
  }

  @Test
  void handler_that_settles_by_itself_is_not_interrupted() throws Exception {
    Trial trial = Trial.queued(SERVER, queue);
    AtomicInteger renewals = new AtomicInteger();
    CountDownLatch ended = new CountDownLatch(1);
    AtomicInteger interruptions = new AtomicInteger();
    client.close();
    client =
        JournalClient.to(SERVER.server().address())
            .plaintext()
            .intercept(new AnsweredCalls("RenewLeases", renewals::incrementAndGet))
            .build();
    try (JournalWorker worker =
        worker(
                claimed -> {
                  trial.settle(claimed.attempt().getAttemptId(), Trial.completed("by itself"));
                  int before = renewals.get();
                  Wait.until("the keeper has heard of it", () -> renewals.get() > before);
                  interruptions.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
                  ended.countDown();
                  return WorkOutcome.done();
                })
            .start()) {
      ended.await();

      assertEquals("concluded Done", told.take());
      assertEquals(0, interruptions.get());
    }
  }

  @Test
  void handler_that_throws_lets_go_and_the_next_attempt_goes_on() throws Exception {
    Trial trial = Trial.queued(SERVER, queue);
    AtomicInteger calls = new AtomicInteger();
    try (JournalWorker worker =
        worker(
                claimed -> {
                  if (calls.incrementAndGet() == 1) {
                    throw new IllegalStateException("of the handler");
                  }
                  return completed("at the second try");
                })
            .start()) {

      assertEquals(Outcome.OUTCOME_COMPLETED, settled(trial));
      assertEquals("failed IllegalStateException", told.take());
      assertEquals(2, trial.submission().getAttemptCount());
    }
  }

  @Test
  void policy_may_settle_what_threw() throws Exception {
    Trial trial = Trial.queued(SERVER, queue);
    try (JournalWorker worker =
        worker(
                claimed -> {
                  throw new IllegalStateException("of the handler");
                })
            .onFailure(FailurePolicy.SETTLE_FAILED)
            .start()) {

      assertEquals(Outcome.OUTCOME_FAILED, settled(trial));
      assertEquals("handler_threw", trial.submission().getSettlement().getFailure().getCode());
    }
  }

  @Test
  void outcome_that_is_refused_is_told_and_the_submission_let_go() throws Exception {
    Trial trial = Trial.queued(SERVER, queue);
    try (JournalWorker worker =
        worker(
                claimed -> {
                  trial.begun(claimed.attempt().getAttemptId(), "t1");
                  return completed("over a turn that is not committed");
                })
            .start()) {

      assertEquals("failed Refused", told.take());
      assertEquals(SubmissionStatus.SUBMISSION_STATUS_RUNNING, trial.submission().getStatus());
    }
  }

  @Test
  void what_is_requeued_or_handed_over_comes_again_and_costs_no_attempt() throws Exception {
    Trial trial = Trial.queued(SERVER, queue);
    AtomicInteger calls = new AtomicInteger();
    try (JournalWorker worker =
        worker(
                claimed ->
                    switch (calls.incrementAndGet()) {
                      case 1 -> WorkOutcome.requeue(Duration.ZERO, "not now");
                      case 2 -> WorkOutcome.handOver(Duration.ofMillis(50), "not here");
                      default -> completed("at last");
                    })
            .start()) {

      assertEquals(Outcome.OUTCOME_COMPLETED, settled(trial));
      assertEquals(3, calls.get());
      assertEquals(1, trial.submission().getAttemptCount());
    }
  }

  @Test
  void no_more_than_the_allowed_number_is_handled_at_one_time() throws Exception {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch twoAtOnce = new CountDownLatch(2);
    List<Trial> trials =
        List.of(queued(), queued(), queued(), queued(), queued(), queued(), queued());
    try (JournalWorker worker =
        worker(
                claimed -> {
                  most.accumulateAndGet(now.incrementAndGet(), Math::max);
                  twoAtOnce.countDown();
                  twoAtOnce.await();
                  now.decrementAndGet();
                  return completed("done");
                })
            .concurrency(2)
            .start()) {
      for (Trial trial : trials) {
        assertEquals(Outcome.OUTCOME_COMPLETED, settled(trial));
      }
      assertEquals(2, most.get());
    }
  }

  @Test
  void close_waits_for_the_handler_and_claims_no_more() throws Exception {
    Trial trial = Trial.queued(SERVER, queue);
    CountDownLatch end = new CountDownLatch(1);
    JournalWorker worker =
        worker(
                claimed -> {
                  handling.countDown();
                  end.await();
                  return completed("done");
                })
            .start();
    handling.await();
    Trial next = Trial.queued(SERVER, queue);
    Thread closing = new Thread(worker::close);
    closing.start();
    worker.awaitEnd();
    end.countDown();
    closing.join();

    assertEquals(Outcome.OUTCOME_COMPLETED, trial.submission().getSettlement().getOutcome());
    assertEquals(SubmissionStatus.SUBMISSION_STATUS_QUEUED, next.submission().getStatus());
  }

  @Test
  void close_that_waits_no_longer_hands_over_and_another_goes_on_at_once() throws Exception {
    Trial trial = Trial.queued(SERVER, queue);
    JournalWorker worker =
        worker(this::workForEver).lease(Duration.ofMinutes(10)).drain(Duration.ZERO).start();
    handling.await();

    worker.close();

    assertEquals("concluded HandOver", told.take());
    try (JournalWorker heir = worker(claimed -> completed("by the heir")).start()) {
      assertEquals(Outcome.OUTCOME_COMPLETED, settled(trial));
      assertEquals(1, trial.submission().getAttemptCount());
    }
  }

  @Test
  void close_hands_over_what_a_deaf_handler_does_not_let_go_of() throws Exception {
    Trial trial = Trial.queued(SERVER, queue);
    CountDownLatch end = new CountDownLatch(1);
    JournalWorker worker =
        worker(
                claimed -> {
                  handling.countDown();
                  while (true) {
                    try {
                      end.await();
                      return WorkOutcome.done();
                    } catch (InterruptedException deaf) {
                      // Such handlers exist.
                    }
                  }
                })
            .lease(Duration.ofMinutes(10))
            .drain(Duration.ZERO)
            .start();
    handling.await();

    worker.close();

    assertTrue(trial.submission().hasRecoveryRequestedAt());
    end.countDown();
  }

  @Test
  void sole_owner_gives_up_what_its_earlier_process_held() throws Exception {
    Trial trial = Trial.queued(SERVER, queue);
    JournalWorker dead =
        client.worker(queue, this::workForEver).queues(queue).lease(Duration.ofMinutes(10)).start();
    handling.await();

    try (JournalWorker reborn =
        client
            .worker(queue, claimed -> completed("in the next life"))
            .queues(queue)
            .soleOwner()
            .start()) {
      assertEquals(Outcome.OUTCOME_COMPLETED, settled(trial));
    }
    dead.close();
  }

  @Test
  void plan_that_needs_no_handler_is_done_without_it() throws Exception {
    Trial trial = Trial.expired(SERVER, queue);
    trial.claim("b");
    trial.begun("b", "t1");
    trial.start("b", "t1");
    trial.turns.commitTurnJournal(trial.committing("b", "t1").setFinal(true).build());
    trial.stored.expireLease();
    AtomicInteger calls = new AtomicInteger();
    try (JournalWorker worker =
        worker(
                claimed -> {
                  calls.incrementAndGet();
                  return WorkOutcome.done();
                })
            .start()) {
      assertEquals(Outcome.OUTCOME_COMPLETED, settled(trial));
      assertEquals(0, calls.get());
    }
  }

  @Test
  void worker_that_may_not_claim_ends_and_says_why() throws Exception {
    try (JournalWorker worker =
        client.worker("", claimed -> completed("never")).queues(queue).start()) {
      JournalException why = assertThrows(JournalException.Refused.class, worker::awaitEnd);
      assertEquals("lease.owner", why.fact("field"));
    }
  }

  @Test
  void connection_that_is_cut_while_the_worker_waits_costs_nothing() throws Exception {
    try (UnreliableNetwork network = new UnreliableNetwork(SERVER.server().port());
        JournalClient far = JournalClient.to(network.target()).plaintext().build();
        JournalWorker worker =
            far.worker("far", claimed -> completed("done")).queues(queue).lease(LEASE).start()) {
      for (NetworkFault fault :
          List.of(NetworkFault.CUT, NetworkFault.RESET, NetworkFault.CUT, NetworkFault.RESET)) {
        int before = network.accepted();
        fault.strike(network);
        Wait.until("it connects again", () -> network.accepted() > before);
        Trial trial = Trial.queued(SERVER, queue);
        assertEquals(Outcome.OUTCOME_COMPLETED, settled(trial));
        assertEquals(1, trial.submission().getAttemptCount());
      }
    }
  }

  @Test
  void handler_that_finds_its_lease_over_before_it_is_told_has_lost_it() throws Exception {
    try (UnreliableNetwork network = new UnreliableNetwork(SERVER.server().port());
        JournalClient far = JournalClient.to(network.target()).plaintext().build();
        JournalWorker worker =
            far.worker("far", this::askWhetherItIsHeld)
                .queues(queue)
                .lease(LEASE)
                .listener(listener)
                .drain(Duration.ZERO)
                .start()) {
      Trial trial = Trial.queued(SERVER, queue);
      handling.await();
      network.refuseConnections(true);
      network.cut();

      assertEquals("lost", told.take());
      assertFalse(trial.submission().hasRecoveryRequestedAt());
    }
  }

  /** Without a pause in which it could be told. */
  private WorkOutcome askWhetherItIsHeld(ClaimedSubmission claimed) {
    handling.countDown();
    while (true) {
      claimed.requireHeld();
    }
  }

  private JournalWorkerBuilder worker(SubmissionHandler handler) {
    return client.worker("worker-1", handler).queues(queue).lease(LEASE).listener(listener);
  }

  private Trial queued() {
    return Trial.queued(SERVER, queue);
  }

  private WorkOutcome workForEver(ClaimedSubmission claimed) throws InterruptedException {
    handling.countDown();
    new CountDownLatch(1).await();
    return WorkOutcome.done();
  }

  private static WorkOutcome completed(String result) {
    return WorkOutcome.completed(Payload.newBuilder().setText(result).build());
  }

  private static Outcome settled(Trial trial) {
    Wait.until(
        "it is settled",
        () -> trial.submission().getStatus() == SubmissionStatus.SUBMISSION_STATUS_SETTLED);
    Submission submission = trial.submission();
    return submission.getSettlement().getOutcome();
  }
}

package io.agentjournal.client;

import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.Lease;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Claims submissions, new ones and those that others left behind, and has each done by a handler,
 * up to so many at one time:
 *
 * <ol>
 *   <li>waits for room, then on the server for work;
 *   <li>calls the handler with submission, slot and plan, and renews the lease meanwhile;
 *   <li>interrupts the handler the moment the submission is lost or is to be aborted;
 *   <li>writes what becomes of the submission, as the handler said, and never if it was lost.
 * </ol>
 *
 * A journal that is away is asked again, with growing pauses; a refusal is never repeated.
 * Thread-safe. It has one thread that claims and one for each submission that is handled.
 */
public final class JournalWorker implements AutoCloseable {
  static final String CLOSED = "the worker was closed";

  /** For handlers to end in after they were interrupted. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private static final Duration HAND_OVER_DEADLINE = Duration.ofSeconds(2);
  private static final AtomicLong WORKERS = new AtomicLong();

  private final JournalTransport transport;
  private final WorkClaims claims;
  private final OutcomeCalls outcomes;
  private final Settings settings;
  private final LeaseKeeper keeper;
  private final Semaphore room;
  private final Map<AttemptRef, Handling> handlings = new ConcurrentHashMap<>();
  private final String name = "agentjournal-worker-" + WORKERS.incrementAndGet();
  private final AtomicLong handled = new AtomicLong();
  private final Thread claimer = daemon(this::claimWork, name + "-claims");
  private final CountDownLatch claimingEnded = new CountDownLatch(1);
  private final Runnable onClientClose = this::clientClosed;

  private volatile boolean closing;
  private volatile @Nullable JournalException failure;

  /**
   * @param drain how long closing waits before it interrupts
   */
  record Settings(
      SubmissionHandler handler,
      FailurePolicy policy,
      WorkerListener listener,
      Duration lease,
      int concurrency,
      Duration drain) {}

  JournalWorker(
      JournalTransport transport, WorkClaims claims, OutcomeCalls outcomes, Settings settings) {
    this.transport = transport;
    this.claims = claims;
    this.outcomes = outcomes;
    this.settings = settings;
    this.room = new Semaphore(settings.concurrency());
    this.keeper = new LeaseKeeper(transport, settings.lease(), new Leases());
  }

  void start() {
    transport.register(onClientClose);
    claimer.start();
  }

  /** How many submissions are being handled. */
  public int handling() {
    return handlings.size();
  }

  /**
   * Blocks until the worker claims no more, since it was closed.
   *
   * @throws JournalException it was not allowed to claim, or its claims make no sense
   */
  public void awaitEnd() throws InterruptedException {
    claimingEnded.await();
    JournalException why = failure;
    if (why != null) {
      throw why;
    }
  }

  /**
   * Claims no more; waits for the handlers under way, as long as it was told to; then interrupts
   * them and hands their submissions over, which costs no attempt. Blocks. Not to be called by a
   * handler. A repeat is harmless.
   */
  @Override
  public void close() {
    closing = true;
    claimer.interrupt();
    try {
      claimingEnded.await();
      if (!awaitRoom(settings.drain())) {
        handlings.values().forEach(Handling::handOver);
        if (!awaitRoom(GRACE)) {
          handlings.keySet().forEach(this::handOver);
        }
      }
    } catch (InterruptedException interrupted) {
      handlings.values().forEach(Handling::handOver);
      Thread.currentThread().interrupt();
    } finally {
      keeper.close();
      transport.unregister(onClientClose);
    }
  }

  /** True: nothing is handled any more. */
  private boolean awaitRoom(Duration atMost) throws InterruptedException {
    int all = settings.concurrency();
    boolean ended = room.tryAcquire(all, atMost.toNanos(), TimeUnit.NANOSECONDS);
    if (ended) {
      room.release(all);
    }
    return ended;
  }

  private void clientClosed() {
    closing = true;
    claimer.interrupt();
    handlings.values().forEach(Handling::handOver);
  }

  // --- the thread that claims

  private void claimWork() {
    try {
      while (!closing) {
        room.acquire();
        boolean isTaken = false;
        try {
          take(claims.next());
          isTaken = true;
        } finally {
          if (!isTaken) {
            room.release();
          }
        }
      }
    } catch (InterruptedException ending) {
      // As close() wants it.
    } catch (JournalException notAllowed) {
      failure = notAllowed;
    } finally {
      claimingEnded.countDown();
    }
  }

  private void take(WorkClaims.Claim claim) {
    AttemptRef attempt =
        AttemptRef.newBuilder()
            .setSubmissionId(claim.answer().getSubmission().getSubmissionId())
            .setAttemptId(claim.attemptId())
            .build();
    Lease lease = claim.answer().getSubmission().getLease();
    HeldLease held = new HeldLease(attempt, HeldLease.left(lease));
    Handling handling =
        new Handling(
            new ClaimedSubmission(attempt, claim.answer(), held),
            settings.handler(),
            settings.policy(),
            settings.listener(),
            outcomes,
            () -> ended(attempt));
    handlings.put(attempt, handling);
    if (closing) {
      handling.handOver();
    }
    keeper.keep(held);
    daemon(handling, name + "-" + handled.incrementAndGet()).start();
  }

  private void ended(AttemptRef attempt) {
    keeper.release(attempt);
    handlings.remove(attempt);
    room.release();
  }

  private void handOver(AttemptRef attempt) {
    try {
      outcomes.handOverOnce(attempt, CLOSED, HAND_OVER_DEADLINE);
    } catch (StatusRuntimeException e) {
      // Lost, settled, or the journal is away: then its lease runs out by itself.
      settings.listener().unavailable(JournalException.of(e));
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  private final class Leases implements LeaseListener {
    @Override
    public void lost(AttemptRef attempt, JournalException why) {
      Handling handling = handlings.get(attempt);
      if (handling != null) {
        handling.lost(why);
      }
    }

    @Override
    public void abortRequested(AttemptRef attempt, String reason) {
      Handling handling = handlings.get(attempt);
      if (handling != null) {
        handling.abortRequested(reason);
      }
    }
  }
}

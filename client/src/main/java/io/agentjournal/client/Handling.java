package io.agentjournal.client;

import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Settlement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One submission in the hands of a worker, from its claim to its outcome:
 *
 * <ol>
 *   <li>a plan that needs no handler is done;
 *   <li>else the handler is called, and interrupted when it is to stop;
 *   <li>what it returned, or what follows from how it ended, is written: nothing, if the submission
 *       is lost.
 * </ol>
 *
 * Run by one thread; told of events by others.
 */
final class Handling implements Runnable {
  private final ClaimedSubmission claimed;
  private final SubmissionHandler handler;
  private final FailurePolicy policy;
  private final WorkerListener listener;
  private final OutcomeCalls outcomes;
  private final Runnable ended;

  private volatile boolean isHandingOver;

  /** While the handler runs. Guarded by this. */
  private @Nullable Thread handling;

  /**
   * @param ended run last, whatever happened
   */
  Handling(
      ClaimedSubmission claimed,
      SubmissionHandler handler,
      FailurePolicy policy,
      WorkerListener listener,
      OutcomeCalls outcomes,
      Runnable ended) {
    this.claimed = claimed;
    this.handler = handler;
    this.policy = policy;
    this.listener = listener;
    this.outcomes = outcomes;
    this.ended = ended;
  }

  ClaimedSubmission claimed() {
    return claimed;
  }

  @Override
  public void run() {
    try {
      listener.claimed(claimed);
      conclude(outcome());
    } finally {
      ended.run();
    }
  }

  // --- events, on any thread

  /**
   * A keeper that finds it settled under a living lease has met the handler's own settlement: no
   * other can settle it then. That is no reason to interrupt it.
   */
  void lost(JournalException why) {
    boolean isOwnSettlement =
        why.reason() == ErrorReason.ERROR_REASON_ALREADY_SETTLED && !claimed.lease().isOver();
    if (!isOwnSettlement) {
      claimed.lose(why);
      interrupt();
    }
  }

  void abortRequested(String reason) {
    claimed.abort(reason);
    interrupt();
  }

  /** The worker closes and waits no longer. */
  void handOver() {
    isHandingOver = true;
    interrupt();
  }

  // --- the thread

  private WorkOutcome outcome() {
    WorkOutcome planned = planned();
    if (planned != null) {
      return planned;
    }
    try {
      return handle();
    } catch (Throwable thrown) { // of somebody else's code: what is held must be let go, and told
      WorkOutcome next = after(thrown);
      if (thrown instanceof Error error) {
        conclude(next);
        throw error;
      }
      return next;
    }
  }

  /** Null: the handler is needed. */
  private @Nullable WorkOutcome planned() {
    return switch (claimed.plan().getAction()) {
      case RECOVERY_ACTION_SETTLE_COMPLETED ->
          WorkOutcome.settle(Settlement.newBuilder().setOutcome(Outcome.OUTCOME_COMPLETED).build());
      case RECOVERY_ACTION_SETTLE_ABORTED -> aborted(claimed.submission().getAbortReason());
      case RECOVERY_ACTION_SETTLE_FAILED ->
          WorkOutcome.failed("budget_spent", claimed.plan().getBecause());
      case RECOVERY_ACTION_NOTHING -> WorkOutcome.letGo();
      default -> null;
    };
  }

  private WorkOutcome handle() throws Exception {
    synchronized (this) {
      handling = Thread.currentThread();
    }
    try {
      // An event may have come before there was a thread to interrupt.
      if (claimed.whyLost() != null || claimed.abortRequested() || isHandingOver) {
        Thread.currentThread().interrupt();
      }
      return handler.handle(claimed);
    } finally {
      synchronized (this) {
        handling = null;
      }
      boolean unused = Thread.interrupted();
    }
  }

  private WorkOutcome after(Throwable thrown) {
    String abortReason = claimed.abortReason();
    claimed.loseIfOver();
    if (claimed.whyLost() != null) {
      return WorkOutcome.letGo();
    }
    JournalException loss = lossIn(thrown);
    if (loss != null) {
      claimed.lose(loss);
      return WorkOutcome.letGo();
    }
    if (abortReason != null) {
      return aborted(abortReason);
    }
    if (isHandingOver) {
      return WorkOutcome.handOver(Duration.ZERO, JournalWorker.CLOSED);
    }
    WorkOutcome next = policy.after(thrown, claimed);
    listener.failed(claimed, thrown, next);
    return next;
  }

  /** A write was refused since this attempt does not hold the submission any more. */
  private @Nullable JournalException lossIn(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      JournalException failure = JournalException.of(cause);
      if (isLoss(failure)) {
        return failure;
      }
    }
    return null;
  }

  private boolean isLoss(JournalException failure) {
    return failure.isFenced()
        && claimed.attempt().getSubmissionId().equals(failure.fact("submission_id"));
  }

  private static WorkOutcome aborted(String reason) {
    return WorkOutcome.settle(
        Settlement.newBuilder()
            .setOutcome(Outcome.OUTCOME_ABORTED)
            .setFailure(Failure.newBuilder().setCode("aborted").setMessage(reason))
            .build());
  }

  private void conclude(WorkOutcome outcome) {
    JournalException lost = claimed.whyLost();
    if (lost == null) {
      try {
        outcomes.write(claimed.attempt(), outcome);
        listener.concluded(claimed, outcome);
        return;
      } catch (JournalException refused) {
        if (!isLoss(refused)) {
          listener.failed(claimed, refused, WorkOutcome.letGo());
          return;
        }
        claimed.lose(refused);
        lost = refused;
      }
    }
    listener.lost(claimed, lost);
  }

  private synchronized void interrupt() {
    if (handling != null) {
      handling.interrupt();
    }
  }
}

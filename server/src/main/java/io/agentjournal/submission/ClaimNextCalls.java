package io.agentjournal.submission;

import io.agentjournal.plan.PlanMessages;
import io.agentjournal.refusal.Refusal;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.rpc.Patience;
import io.agentjournal.slot.SlotMessages;
import io.agentjournal.slot.TurnJournal;
import io.agentjournal.submission.NextClaim.Source;
import io.agentjournal.v1.ClaimNextSubmissionRequest;
import io.agentjournal.v1.ClaimNextSubmissionResponse;
import io.agentjournal.v1.ClaimSource;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of ClaimNextSubmission. One that waits holds neither a thread nor a connection: it is
 * put on the watch and, whenever that wakes it, tries to claim something.
 */
final class ClaimNextCalls {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimNextCalls.class);

  /** Of a call without a deadline. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private final BlockingPool pool;
  private final NextClaimStore store;
  private final WorkWatch watch;

  ClaimNextCalls(BlockingPool pool, NextClaimStore store, WorkWatch watch) {
    this.pool = pool;
    this.store = store;
    this.watch = watch;
  }

  /** To be called on the event loop. */
  void start(
      ClaimNextSubmissionRequest request,
      ServerCallStreamObserver<ClaimNextSubmissionResponse> answers) {
    NextClaim claim =
        new NextClaim(
            NamespaceInterceptor.current(),
            request.getAttemptId(),
            SubmissionRequests.lease(request.getLease()),
            request.getQueuesList(),
            source(request.getSource()));
    Call call = new Call(claim, answers, System.nanoTime() + patience().toNanos());
    answers.setOnCancelHandler(call::cancelled);
    pool.execute(call::first);
  }

  private static Source source(ClaimSource source) {
    return switch (source) {
      case CLAIM_SOURCE_UNSPECIFIED -> Source.ANY;
      case CLAIM_SOURCE_QUEUED -> Source.QUEUED;
      case CLAIM_SOURCE_RECOVERABLE -> Source.RECOVERABLE;
      case UNRECOGNIZED -> throw InvalidField.because("source", "not a source");
    };
  }

  private static Duration patience() {
    Duration untilDeadline = Patience.untilDeadline();
    return untilDeadline == null ? LONGEST_WAIT : untilDeadline;
  }

  private enum Stage {
    LOOKING,
    CLAIMED,
    OVER
  }

  private final class Call implements WorkWatch.Idle {
    private final NextClaim claim;
    private final ServerCallStreamObserver<ClaimNextSubmissionResponse> answers;
    private final long untilNanos;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.LOOKING);

    Call(
        NextClaim claim,
        ServerCallStreamObserver<ClaimNextSubmissionResponse> answers,
        long untilNanos) {
      this.claim = claim;
      this.answers = answers;
      this.untilNanos = untilNanos;
    }

    @Override
    public NextClaim claim() {
      return claim;
    }

    @Override
    public long untilNanos() {
      return untilNanos;
    }

    void first() {
      guarded(
          () -> {
            Optional<Claimed> before = store.repeat(claim);
            if (before.isPresent()) {
              answer(before);
            } else {
              look();
            }
          });
    }

    @Override
    public void wakeUp() {
      if (watch.hasEnded()) {
        answer(Optional.empty());
        return;
      }
      try {
        pool.execute(() -> guarded(isOver() ? this::last : this::look));
      } catch (Refusal overloaded) {
        answers.onError(overloaded);
      }
    }

    /** There is always one look, also for a caller without patience. */
    private void look() {
      if (answers.isCancelled()) {
        return;
      }
      Optional<Claimed> got = store.claim(claim);
      if (got.isPresent()) {
        answer(got);
        return;
      }
      if (isOver()) {
        last();
        return;
      }
      watch.await(this);
      if (answers.isCancelled()) {
        watch.forget(this);
      }
    }

    /** A retry may have come before what it repeats had got anything. */
    private void last() {
      answer(store.repeat(claim));
    }

    private boolean isOver() {
      return System.nanoTime() - untilNanos >= 0;
    }

    private void answer(Optional<Claimed> got) {
      stage.set(got.isPresent() ? Stage.CLAIMED : Stage.OVER);
      if (answers.isCancelled()) {
        giveBackOnce();
        return;
      }
      answers.onNext(response(got));
      answers.onCompleted();
    }

    /**
     * On any thread. A cancellation may also cross with the answer, which the caller then never
     * sees.
     */
    void cancelled() {
      watch.forget(this);
      if (stage.get() == Stage.CLAIMED) {
        try {
          pool.execute(this::giveBackOnce);
        } catch (Refusal overloaded) {
          // Its lease runs out by itself.
          LOG.warn(
              "A claim whose call was cancelled is not given back: {}", overloaded.getMessage());
        }
      }
    }

    private void giveBackOnce() {
      if (stage.compareAndSet(Stage.CLAIMED, Stage.OVER)) {
        store.giveBack(claim);
      }
    }

    private void guarded(Runnable step) {
      try {
        step.run();
      } catch (RuntimeException | Error e) {
        answers.onError(e);
      }
    }
  }

  private static ClaimNextSubmissionResponse response(Optional<Claimed> got) {
    ClaimNextSubmissionResponse.Builder response = ClaimNextSubmissionResponse.newBuilder();
    got.ifPresent(
        claimed -> {
          response.setApplied(claimed.applied()).setPlan(PlanMessages.from(claimed.plan()));
          TurnJournal journal = claimed.journal();
          if (journal != null) {
            response.setJournal(SlotMessages.from(journal));
          }
          response.setSubmission(SubmissionMessages.from(claimed.submission(), response.build()));
        });
    return response.build();
  }
}

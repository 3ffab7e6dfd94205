package io.agentjournal.submission;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Namespace;
import io.agentjournal.refusal.Refusal;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.TooLarge;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.rpc.Excerpt;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.rpc.Patience;
import io.agentjournal.rpc.Times;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.RenewLeasesRequest;
import io.agentjournal.v1.RenewLeasesResponse;
import io.agentjournal.v1.Renewal;
import io.agentjournal.v1.RenewalState;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls of RenewLeases. One that waits holds neither a thread nor a connection: it renews, is
 * put on the watch, and when that wakes it reads what became of its leases and answers.
 */
final class RenewLeasesCalls {
  private static final int MAX_ATTEMPTS = 1_000;

  /** Of the ids of all attempts: an answer has them up to three times, and others beside them. */
  private static final int MAX_ID_BYTES = 512 << 10;

  private static final int MAX_REASON_CHARS = 200;

  private final BlockingPool pool;
  private final LeaseStore store;
  private final LeaseWatch watch;

  RenewLeasesCalls(BlockingPool pool, LeaseStore store, LeaseWatch watch) {
    this.pool = pool;
    this.store = store;
    this.watch = watch;
  }

  /** To be called on the event loop. */
  void start(RenewLeasesRequest request, ServerCallStreamObserver<RenewLeasesResponse> answers) {
    Call call = new Call(request, answers);
    answers.setOnCancelHandler(call::cancel);
    pool.execute(call::renew);
  }

  private final class Call {
    private final Namespace namespace = NamespaceInterceptor.current();
    private final List<AttemptId> attempts;
    private final Duration duration;
    private final boolean isPatient;
    private final long untilNanos;
    private final ServerCallStreamObserver<RenewLeasesResponse> answers;
    private volatile LeaseWatch.@Nullable WaitingCall waiting;

    Call(RenewLeasesRequest request, ServerCallStreamObserver<RenewLeasesResponse> answers) {
      this.attempts = attempts(request.getAttemptsList());
      this.duration =
          request.hasDuration()
              ? Times.duration("duration", request.getDuration())
              : LeaseGrant.DEFAULT_DURATION;
      LeaseGrant.checkDuration("duration", duration);
      Duration wait = request.hasWait() ? Times.duration("wait", request.getWait()) : Duration.ZERO;
      if (wait.isNegative() || wait.compareTo(duration.dividedBy(2)) > 0) {
        throw InvalidField.ofValue("wait", wait.toString(), "not from 0 to half of duration");
      }
      this.isPatient = !wait.isZero();
      this.untilNanos = System.nanoTime() + Patience.atMost(wait).toNanos();
      this.answers = answers;
    }

    private static List<AttemptId> attempts(List<AttemptRef> refs) {
      if (refs.isEmpty()) {
        throw InvalidField.because("attempts", "none");
      }
      if (refs.size() > MAX_ATTEMPTS) {
        throw new TooLarge("attempts", refs.size(), MAX_ATTEMPTS);
      }
      int idBytes = refs.stream().mapToInt(AttemptRef::getSerializedSize).sum();
      if (idBytes > MAX_ID_BYTES) {
        throw new TooLarge("attempts", idBytes, MAX_ID_BYTES);
      }
      return refs.stream().map(SubmissionRequests::attempt).toList();
    }

    void renew() {
      if (answers.isCancelled()) {
        return;
      }
      try {
        List<LeaseState> states = store.renew(namespace, attempts, duration);
        if (!isPatient || states.stream().anyMatch(LeaseState::isAlarm)) {
          answer(states);
          return;
        }
      } catch (RuntimeException | Error e) {
        answers.onError(e);
        return;
      }
      LeaseWatch.WaitingCall patient =
          new LeaseWatch.WaitingCall(attempts, untilNanos, this::wokenUp);
      waiting = patient;
      watch.await(patient);
      if (answers.isCancelled()) {
        cancel();
      }
    }

    private void wokenUp() {
      try {
        pool.execute(this::answerNow);
      } catch (Refusal overloaded) {
        answers.onError(overloaded);
      }
    }

    private void answerNow() {
      try {
        answer(store.read(namespace, attempts));
      } catch (RuntimeException | Error e) {
        answers.onError(e);
      }
    }

    private void answer(List<LeaseState> states) {
      RenewLeasesResponse.Builder response = RenewLeasesResponse.newBuilder();
      states.forEach(state -> response.addRenewals(message(state)));
      answers.onNext(response.build());
      answers.onCompleted();
    }

    void cancel() {
      LeaseWatch.WaitingCall patient = waiting;
      if (patient != null) {
        watch.forget(patient);
      }
    }
  }

  private static Renewal message(LeaseState state) {
    Renewal.Builder message =
        Renewal.newBuilder()
            .setAttempt(
                AttemptRef.newBuilder()
                    .setSubmissionId(state.attempt().submission().id())
                    .setAttemptId(state.attempt().id()))
            .setState(RenewalState.valueOf("RENEWAL_STATE_" + state.state().name()));
    Lease lease = state.lease();
    if (lease != null) {
      message.setLease(SubmissionMessages.from(lease));
    }
    Refusal refusal = state.refusal();
    if (refusal != null) {
      message
          .setReason(ErrorReason.valueOf("ERROR_REASON_" + refusal.reason().name()))
          .putAllFacts(refusal.facts());
    }
    String abortReason = state.abortReason();
    if (abortReason != null) {
      message.setAbortRequested(true).setAbortReason(Excerpt.of(abortReason, MAX_REASON_CHARS));
    }
    return message.build();
  }
}

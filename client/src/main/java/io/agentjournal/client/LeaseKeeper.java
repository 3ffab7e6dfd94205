package io.agentjournal.client;

import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.RenewLeasesResponse;
import io.agentjournal.v1.Renewal;
import io.agentjournal.v1.RenewalState;
import io.grpc.Status;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases for as long as they are to be kept, and tells at once when one is lost or its
 * submission is to stop. One keeper serves up to 1,000 attempts with one waiting call; it takes no
 * thread. Thread-safe; no method blocks.
 *
 * <p>Of a journal that cannot be asked it assumes the worst: when a lease has run out by this
 * machine's own clock, it is lost.
 */
public final class LeaseKeeper implements AutoCloseable {
  private static final int MAX_ATTEMPTS = 1_000;

  /**
   * Between renewals while a call would not wait, since one of the attempts has been told to stop.
   */
  private static final Duration STOPPING_PAUSE = Duration.ofMillis(500);

  /** Between the beginnings of two calls: a server that goes away answers without waiting. */
  private static final Duration SHORTEST_PERIOD = Duration.ofMillis(50);

  private final JournalTransport transport;
  private final SerialExecutor serial;
  private final Duration lease;
  private final LeaseListener listener;
  private final Backoff backoff;
  private final Runnable onClientClose = this::close;

  // Touched only by tasks of `serial`.
  private final Map<AttemptRef, HeldLease> held = new LinkedHashMap<>();
  private @Nullable RenewalCall call;
  private boolean pausing;

  /** After a call was lost, to know soon how the leases stand. */
  private boolean asksAtOnce;

  private boolean closed;

  LeaseKeeper(JournalTransport transport, Duration lease, LeaseListener listener) {
    this.transport = transport;
    this.serial = transport.newSerialExecutor();
    this.lease = lease;
    this.listener = listener;
    this.backoff = new Backoff(lease.dividedBy(6));
    transport.register(onClientClose);
  }

  /**
   * Renews from now on, at first right away.
   *
   * @param left what is left of the lease by the answer of the claim or take-over
   */
  public void keep(AttemptRef attempt, Duration left) {
    keep(new HeldLease(attempt, left));
  }

  /** As {@link #keep(AttemptRef, Duration)}, for who asks the lease itself what is left. */
  void keep(HeldLease fresh) {
    serial.execute(() -> add(fresh));
  }

  /** Forgets the attempt: it was settled, handed over, or is of no interest any more. */
  public void release(AttemptRef attempt) {
    serial.execute(() -> held.remove(attempt));
  }

  /** Forgets all attempts; their leases run out by themselves. */
  @Override
  public void close() {
    serial.execute(
        () -> {
          closed = true;
          held.clear();
          cancelCall();
          transport.unregister(onClientClose);
        });
  }

  private void add(HeldLease fresh) {
    if (closed || held.size() == MAX_ATTEMPTS) {
      listener.lost(fresh.attempt(), JournalException.of(notKept()));
      return;
    }
    held.put(fresh.attempt(), fresh);
    cancelCall();
    renew();
    watch(fresh);
  }

  /** Looks again when the lease would be over, unless it was renewed meanwhile. */
  private void watch(HeldLease lease) {
    transport.schedule(
        lease.left(),
        serial,
        () -> {
          if (held.get(lease.attempt()) != lease) {
            return;
          }
          if (lease.isOver()) {
            lose(lease, JournalException.of(ranOut()));
          } else {
            watch(lease);
          }
        });
  }

  private void renew() {
    if (call != null || held.isEmpty()) {
      return;
    }
    transport.connectNow();
    boolean waits = !asksAtOnce && held.values().stream().noneMatch(HeldLease::isAbortTold);
    call =
        RenewalCall.start(
            transport.calls(),
            serial,
            List.copyOf(held.keySet()),
            lease,
            waits ? lease.dividedBy(3) : Duration.ZERO,
            this);
  }

  // --- for the call

  void answered(RenewalCall from, RenewLeasesResponse answer) {
    if (from != call) {
      return;
    }
    call = null;
    asksAtOnce = false;
    backoff.reset();
    for (Renewal renewal : answer.getRenewalsList()) {
      HeldLease lease = held.get(renewal.getAttempt());
      if (lease != null) {
        learn(lease, renewal, from.measuredAt());
      }
    }
    if (held.values().stream().anyMatch(HeldLease::isAbortTold)) {
      renewAfter(STOPPING_PAUSE);
    } else {
      renewAfter(SHORTEST_PERIOD.minusNanos(System.nanoTime() - from.sentAt()));
    }
  }

  void failed(RenewalCall from, CallFailure failure) {
    if (from != call) {
      return;
    }
    call = null;
    asksAtOnce = true;
    if (failure.isTransient()) {
      if (failure.code() == Status.Code.DEADLINE_EXCEEDED) {
        transport.leaveConnection();
      }
      renewAfter(backoff.next());
    } else {
      List.copyOf(held.values()).forEach(lease -> lose(lease, JournalException.of(failure)));
    }
  }

  private void renewAfter(Duration pause) {
    if (pause.isNegative()) {
      renew();
    } else if (!pausing) {
      pausing = true;
      transport.schedule(
          pause,
          serial,
          () -> {
            pausing = false;
            renew();
          });
    }
  }

  private void learn(HeldLease lease, Renewal renewal, long measuredAt) {
    RenewalState state = renewal.getState();
    if (state == RenewalState.RENEWAL_STATE_RENEWED
        || state == RenewalState.RENEWAL_STATE_REFUSED) {
      lease.renewed(measuredAt, renewal.getLease());
      if (renewal.getAbortRequested() && lease.tellAbort()) {
        listener.abortRequested(lease.attempt(), renewal.getAbortReason());
      }
      if (state == RenewalState.RENEWAL_STATE_REFUSED && lease.tellRunsOut()) {
        listener.runsOut(lease.attempt(), lease.left());
      }
    } else {
      lose(lease, JournalException.of(CallFailure.of(renewal)));
    }
  }

  private void lose(HeldLease lease, JournalException why) {
    held.remove(lease.attempt());
    listener.lost(lease.attempt(), why);
  }

  private void cancelCall() {
    RenewalCall current = call;
    call = null;
    if (current != null) {
      current.cancel();
    }
  }

  private static CallFailure ranOut() {
    return CallFailure.of(
        Status.DEADLINE_EXCEEDED.withDescription(
            "the lease ran out before the journal could be asked"));
  }

  private CallFailure notKept() {
    return CallFailure.of(
        Status.CANCELLED.withDescription(
            closed ? "the keeper is closed" : "a keeper serves " + MAX_ATTEMPTS + " attempts"));
  }
}

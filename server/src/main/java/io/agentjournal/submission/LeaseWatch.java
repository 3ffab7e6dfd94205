package io.agentjournal.submission;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Namespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Wakes the calls of this server that wait until one of their leases is lost or its abort is
 * requested: one statement for each namespace finds all of them. Thread-safe.
 */
final class LeaseWatch implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofMillis(50);

  private final AlarmStore store;
  private final Polling<WaitingCall> polling;

  LeaseWatch(Transactions transactions) {
    this.store = new AlarmStore(transactions);
    this.polling = new Polling<>("lease-watch", INTERVAL, this::alarmed);
  }

  /** A call that waits with these attempts, of one namespace. */
  static final class WaitingCall implements Polling.Waiting {
    private final List<AttemptId> attempts;
    private final long untilNanos;
    private final Runnable wakeUp;

    WaitingCall(List<AttemptId> attempts, long untilNanos, Runnable wakeUp) {
      this.attempts = attempts;
      this.untilNanos = untilNanos;
      this.wakeUp = wakeUp;
    }

    @Override
    public long untilNanos() {
      return untilNanos;
    }

    @Override
    public void wakeUp() {
      wakeUp.run();
    }
  }

  /** The call is woken once: by an alarm, when its time is over, or when the server goes away. */
  void await(WaitingCall call) {
    polling.add(call);
  }

  /** From now on nobody waits any more. Does not block. */
  void end() {
    polling.end();
  }

  /** For one that was cancelled. */
  void forget(WaitingCall call) {
    polling.remove(call);
  }

  private List<WaitingCall> alarmed(List<WaitingCall> calls) {
    Map<Namespace, Hopes> byNamespace = new HashMap<>();
    for (WaitingCall call : calls) {
      for (AttemptId attempt : call.attempts) {
        byNamespace
            .computeIfAbsent(attempt.namespace(), namespace -> new Hopes())
            .add(call, attempt);
      }
    }
    Set<WaitingCall> found = new LinkedHashSet<>();
    byNamespace.forEach(
        (namespace, hopes) ->
            store
                .find(namespace, hopes.submissions(), hopes.held())
                .forEach(alarm -> found.addAll(hopes.disappointedBy(alarm))));
    return new ArrayList<>(found);
  }

  /** Which call hopes for which attempt to hold which submission of one namespace. */
  private static final class Hopes {
    private final Map<String, List<Hope>> bySubmission = new HashMap<>();

    private record Hope(WaitingCall call, AttemptId attempt) {}

    void add(WaitingCall call, AttemptId attempt) {
      bySubmission
          .computeIfAbsent(attempt.submission().id(), id -> new ArrayList<>())
          .add(new Hope(call, attempt));
    }

    List<String> submissions() {
      return List.copyOf(bySubmission.keySet());
    }

    /**
     * Who is hoped to hold what. Not those of a submission for which calls hope differently: its
     * row decides between them.
     */
    List<AttemptId> held() {
      return bySubmission.values().stream()
          .filter(hopes -> hopes.stream().map(Hope::attempt).distinct().count() == 1)
          .map(hopes -> hopes.get(0).attempt())
          .toList();
    }

    /** Calls that hope for another attempt than the one that holds the submission undisturbed. */
    List<WaitingCall> disappointedBy(AlarmStore.Alarm alarm) {
      return bySubmission.getOrDefault(alarm.submissionId(), List.of()).stream()
          .filter(hope -> !hope.attempt().id().equals(alarm.undisturbedAttemptId()))
          .map(Hope::call)
          .toList();
    }
  }

  @Override
  public void close() {
    polling.close();
  }
}

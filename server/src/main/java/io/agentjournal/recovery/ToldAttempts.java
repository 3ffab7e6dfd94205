package io.agentjournal.recovery;

import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which attempts a call has been told of, as long as they can be found again. For one thread at a
 * time.
 */
final class ToldAttempts {
  /** By then the watch looks at them no more, however long its looks may take. */
  private static final Duration REMEMBERED = RecoverableWatch.OVERLAP.multipliedBy(4);

  private final Map<Attempt, Instant> told = new LinkedHashMap<>();

  private record Attempt(String submissionId, String attemptId) {}

  /** False: it was told of before. */
  boolean add(Overdue overdue) {
    Attempt attempt = new Attempt(overdue.submission().id(), overdue.attemptId());
    Instant before = told.putIfAbsent(attempt, overdue.since());
    forget(overdue.since().minus(REMEMBERED));
    return before == null;
  }

  /** In the order in which they were told, which is about that of their times. */
  private void forget(Instant before) {
    Iterator<Instant> times = told.values().iterator();
    while (times.hasNext() && times.next().isBefore(before)) {
      times.remove();
    }
  }
}

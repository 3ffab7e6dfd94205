package io.agentjournal.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Growing pauses between attempts, each between half and the whole of its step. Not thread-safe.
 */
final class Backoff {
  private static final Duration FIRST = Duration.ofMillis(20);

  private final Duration longest;
  private int failures;

  Backoff(Duration longest) {
    this.longest = longest;
  }

  Duration next() {
    long step = FIRST.toNanos() << Math.min(failures, 20);
    failures++;
    long capped = Math.min(step, longest.toNanos());
    return Duration.ofNanos(ThreadLocalRandom.current().nextLong(capped / 2, capped + 1));
  }

  void reset() {
    failures = 0;
  }
}

package io.agentjournal.testing;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assertions;

/** Waits for what must come true. */
public final class Wait {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private Wait() {}

  /** Fails with the sentence if it is not true within 30 s. */
  public static void until(String sentence, BooleanSupplier condition) {
    until(sentence, PATIENCE, condition);
  }

  /** As {@link #until(String, BooleanSupplier)}, for what takes longer on a busy machine. */
  public static void until(String sentence, Duration patience, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > patience.toNanos()) {
        Assertions.fail("not within " + patience.toSeconds() + " s: " + sentence);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}

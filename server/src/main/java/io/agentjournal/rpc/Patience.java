package io.agentjournal.rpc;

import io.grpc.Context;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long a call that waits for something may do so: it has to answer before its deadline, or its
 * caller never learns what it was told.
 */
public final class Patience {
  /** For the answer's way back. Of a call that has less than twice as much, half of what it has. */
  private static final Duration MARGIN = Duration.ofMillis(500);

  private Patience() {}

  /**
   * Until shortly before the deadline of the call that this thread works for; null: it has none.
   */
  public static @Nullable Duration untilDeadline() {
    Deadline deadline = Context.current().getDeadline();
    if (deadline == null) {
      return null;
    }
    Duration left = Duration.ofNanos(deadline.timeRemaining(TimeUnit.NANOSECONDS));
    Duration withMargin = left.minus(MARGIN);
    Duration half = left.dividedBy(2);
    return withMargin.compareTo(half) > 0 ? withMargin : half;
  }

  /** As long as is wanted, but not longer than {@link #untilDeadline}. */
  public static Duration atMost(Duration wanted) {
    Duration allowed = untilDeadline();
    return allowed == null || wanted.compareTo(allowed) < 0 ? wanted : allowed;
  }
}

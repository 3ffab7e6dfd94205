package io.agentjournal.event;

import io.agentjournal.segment.StreamStretch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A watch that has told everything and waits. It has no equality but its own. */
final class WaitingWatch {
  private static final long LIVELY_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final WatchTarget target;
  private final WatchPosition position;
  private final boolean withSegments;
  private final long newsNanos;
  private final Consumer<@Nullable StreamStretch> told;

  /**
   * Waits until it is told.
   *
   * @param newsNanos {@link System#nanoTime} of its last news
   * @param told receives, once, what is new: how the position's stream went on while nothing else
   *     happened; or null: the watch has to look for itself. Must not block
   */
  WaitingWatch(
      WatchTarget target,
      WatchPosition position,
      boolean withSegments,
      long newsNanos,
      Consumer<@Nullable StreamStretch> told) {
    this.target = target;
    this.position = position;
    this.withSegments = withSegments;
    this.newsNanos = newsNanos;
    this.told = told;
  }

  WatchTarget target() {
    return target;
  }

  WatchPosition position() {
    return position;
  }

  boolean withSegments() {
    return withSegments;
  }

  /** Had news a moment ago, and will have more. */
  boolean isLively(long nowNanos) {
    return nowNanos - newsNanos < LIVELY_NANOS;
  }

  void tell(@Nullable StreamStretch stretch) {
    told.accept(stretch);
  }
}

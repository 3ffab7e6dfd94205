package io.agentjournal.it.model;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Takes steps away from a sequence that fails for as long as what is left fails too. */
final class Shrinker {
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  /** What is left may be a race. */
  private static final int TRIES = 3;

  private final Player player;
  private final long untilNanos = System.nanoTime() + PATIENCE.toNanos();

  Shrinker(Player player) {
    this.player = player;
  }

  Disagreement shrink(Disagreement found) {
    Disagreement least = found;
    Disagreement inOrder = failure(found.sequence().inOrder());
    if (inOrder != null) {
      least = inOrder;
    }
    for (int size = least.sequence().stepCount() / 2; size > 0; size /= 2) {
      least = withoutParts(least, size);
    }
    return withoutParts(least, 1);
  }

  private Disagreement withoutParts(Disagreement found, int size) {
    Disagreement least = found;
    int from = least.sequence().stepCount() - size;
    while (from >= 0 && System.nanoTime() - untilNanos < 0) {
      Disagreement smaller = failure(least.sequence().without(from, size));
      if (smaller != null) {
        least = smaller;
      }
      from = Math.min(from, least.sequence().stepCount()) - size;
    }
    return least;
  }

  private @Nullable Disagreement failure(Sequence sequence) {
    for (int i = 0; i < TRIES; i++) {
      Disagreement failure = player.play(sequence);
      if (failure != null) {
        return failure;
      }
      boolean isRace = sequence.groups().stream().anyMatch(group -> group.size() > 1);
      if (!isRace) {
        return null;
      }
    }
    return null;
  }
}

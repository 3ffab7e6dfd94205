package io.agentjournal.turn;

import org.jspecify.annotations.Nullable;

/** Leaves as callers name them: null is not said, empty is before the first entry. */
final class LeafIds {
  private LeafIds() {}

  /** As it is stored: null before the first entry. */
  static @Nullable String stored(String asked) {
    return asked.isEmpty() ? null : asked;
  }

  /** Whether what is stored is what was asked for; what was not said fits everything. */
  static boolean matches(@Nullable String asked, @Nullable String stored) {
    return asked == null || asked.equals(stored == null ? "" : stored);
  }
}

package io.agentjournal.client;

import io.grpc.Status;

/**
 * What of the segments that were sent unheard may be taken for stored, from what each call's first
 * answer says. Used only by tasks of its connection's executor.
 */
final class ResumePoint {
  private final boolean fenced;

  /** What the first call found: from here on a writer with a fence was the only one. */
  private long foundIndex = -1;

  /** The highest next_index that the server has told: it must never go back. */
  private long toldIndex;

  /**
   * @param fenced nobody but this writer may write while its calls are accepted
   */
  ResumePoint(boolean fenced) {
    this.fenced = fenced;
  }

  /**
   * Of the segments in flight those below {@code known} are stored; those below {@code doubtful},
   * perhaps by another.
   */
  record Known(long known, long doubtful) {}

  boolean isFirst() {
    return foundIndex < 0;
  }

  void found(long nextIndex) {
    foundIndex = nextIndex;
    told(nextIndex);
  }

  void told(long nextIndex) {
    toldIndex = Math.max(toldIndex, nextIndex);
  }

  boolean isBehind(long nextIndex) {
    return nextIndex < toldIndex;
  }

  /**
   * @param nextIndex of the server
   * @param sentIndex after the last segment that was sent
   */
  Known known(long nextIndex, long sentIndex) {
    long known = Math.min(nextIndex, sentIndex);
    return new Known(known, fenced ? Math.min(known, foundIndex) : known);
  }

  CallFailure lostByServer(long nextIndex) {
    return CallFailure.of(
        CallFailure.Kind.FAILED,
        Status.Code.DATA_LOSS,
        "the server has %d segments and told of %d before".formatted(nextIndex, toldIndex),
        null);
  }
}

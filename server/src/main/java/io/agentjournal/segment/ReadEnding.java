package io.agentjournal.segment;

import org.jspecify.annotations.Nullable;

/** How a read ended, as opposed to being cut. */
record ReadEnding(
    Reason reason,
    long nextIndex,
    @Nullable String finishReason,
    @Nullable String failureCode,
    @Nullable String failureMessage) {

  enum Reason {
    COMPLETE,
    FAILED,
    SUPERSEDED,
    DELETED,
    LIMIT_REACHED,
    STILL_OPEN
  }

  static ReadEnding because(Reason reason, long nextIndex) {
    return new ReadEnding(reason, nextIndex, null, null, null);
  }

  /** Nothing more is to be sent of a stream whose head is this. */
  static ReadEnding of(Head head, long nextIndex) {
    if (head.state() == StreamState.DELETED) {
      return because(Reason.DELETED, nextIndex);
    }
    Reason reason =
        switch (head.state()) {
          case OPEN -> Reason.STILL_OPEN;
          case COMPLETE -> Reason.COMPLETE;
          case FAILED -> Reason.FAILED;
          case SUPERSEDED -> Reason.SUPERSEDED;
          case DELETED -> Reason.DELETED;
        };
    return new ReadEnding(
        reason, nextIndex, head.finishReason(), head.failureCode(), head.failureMessage());
  }
}

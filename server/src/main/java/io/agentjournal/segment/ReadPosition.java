package io.agentjournal.segment;

import io.agentjournal.refusal.Refusal.StartPastEnd;
import org.jspecify.annotations.Nullable;

/** Where one read is, and where it stops. Not thread-safe. */
final class ReadPosition {
  private final boolean follow;

  /** What was stored when the call arrived: a read that does not follow owes no more. */
  private final long storedOnArrival;

  private long nextIndex;
  private long wanted;

  /**
   * @param arrival the head when the call arrived
   * @throws StartPastEnd the read would start beyond it
   */
  ReadPosition(ReadRequest request, Head arrival) {
    this.follow = request.follow();
    this.storedOnArrival = arrival.nextIndex();
    this.nextIndex = start(request, arrival);
    this.wanted = request.limit() == null ? Long.MAX_VALUE : request.limit();
  }

  private static long start(ReadRequest request, Head arrival) {
    Long startIndex = request.startIndex();
    if (startIndex != null) {
      if (startIndex > arrival.nextIndex() && arrival.state() != StreamState.DELETED) {
        throw new StartPastEnd(request.key().key(), startIndex, arrival.nextIndex());
      }
      return startIndex;
    }
    return request.last() == null ? 0 : Math.max(0, arrival.nextIndex() - request.last());
  }

  /** The index of the segment to send next. */
  long nextIndex() {
    return nextIndex;
  }

  /** How many segments of an extent that covers the position come before it. */
  int offsetIn(Extent extent) {
    return Math.toIntExact(nextIndex - extent.firstIndex());
  }

  /** How many of an extent that covers the position are to be sent. */
  int countIn(Extent extent) {
    return Math.toIntExact(Math.min(extent.endIndex() - nextIndex, wanted));
  }

  void advance(int segments) {
    nextIndex += segments;
    wanted -= segments;
  }

  boolean isLimitReached() {
    return wanted == 0;
  }

  /** How the read ends here, if it does, the stream's newest head being known. */
  @Nullable ReadEnding ending(Head head) {
    if (isLimitReached()) {
      return ReadEnding.because(ReadEnding.Reason.LIMIT_REACHED, nextIndex);
    }
    return switch (head.state()) {
      case DELETED -> ReadEnding.of(head, nextIndex);
      case COMPLETE, FAILED, SUPERSEDED ->
          nextIndex >= head.nextIndex() ? ReadEnding.of(head, nextIndex) : null;
      case OPEN -> follow || nextIndex < storedOnArrival ? null : ReadEnding.of(head, nextIndex);
    };
  }
}

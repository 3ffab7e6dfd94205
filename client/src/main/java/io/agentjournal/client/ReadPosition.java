package io.agentjournal.client;

import io.agentjournal.v1.ReadEnd;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.SegmentRun;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/** How far a read got. Trusts no server: a hole or a repeat is an error, never passed on. */
final class ReadPosition {
  private final long limit;
  private long delivered;

  /** Null until a read of the last so many has been told where that is. */
  private @Nullable Long nextIndex;

  ReadPosition(ReadSegmentsRequest request) {
    this.limit = request.hasLimit() ? request.getLimit() : Long.MAX_VALUE;
    this.nextIndex = request.hasLast() ? null : (Long) request.getStartIndex();
  }

  long nextIndex() {
    return nextIndex == null ? 0 : nextIndex;
  }

  /** The request for what is still missing. */
  ReadSegmentsRequest.Builder resume(ReadSegmentsRequest first) {
    ReadSegmentsRequest.Builder request = first.toBuilder();
    if (nextIndex != null) {
      request.setStartIndex(nextIndex);
    }
    if (first.hasLimit() && delivered > 0) {
      request.setLimit(limit - delivered);
    }
    return request;
  }

  boolean isLimitReached() {
    return delivered == limit;
  }

  /** What the server would have said, had the call not been cut after the last segment. */
  ReadEnd limitReached() {
    return ReadEnd.newBuilder()
        .setReason(ReadEndReason.READ_END_REASON_LIMIT_REACHED)
        .setNextIndex(nextIndex())
        .build();
  }

  void advance(SegmentRun run) {
    expect(run.getFirstIndex());
    delivered += run.getSegmentsCount();
    nextIndex = run.getFirstIndex() + run.getSegmentsCount();
    if (delivered > limit) {
      throw broken("%d segments where %d were asked for".formatted(delivered, limit));
    }
  }

  void caughtUp(long index) {
    expect(index);
    nextIndex = index;
  }

  void end(ReadEnd end) {
    if (end.getReason() != ReadEndReason.READ_END_REASON_DELETED) {
      expect(end.getNextIndex());
    }
    nextIndex = nextIndex == null ? (Long) end.getNextIndex() : nextIndex;
  }

  private void expect(long index) {
    if (nextIndex != null && nextIndex != index) {
      throw broken("segment %d was to come, not %d".formatted(nextIndex, index));
    }
  }

  private static JournalException broken(String what) {
    return JournalException.of(
        CallFailure.of(CallFailure.Kind.FAILED, Status.Code.DATA_LOSS, what, null));
  }
}

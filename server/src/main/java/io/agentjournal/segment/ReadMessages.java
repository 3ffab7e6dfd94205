package io.agentjournal.segment;

import com.google.protobuf.InvalidProtocolBufferException;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.CorruptExtent;
import io.agentjournal.rpc.Times;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.ReadEnd;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.ReadSegmentsResponse.CaughtUp;
import io.agentjournal.v1.ReadSegmentsResponse.Heartbeat;
import io.agentjournal.v1.SegmentRun;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Messages of ReadSegments from and to what the read itself talks of. */
final class ReadMessages {
  private static final Logger LOG = LoggerFactory.getLogger(ReadMessages.class);

  private ReadMessages() {}

  static ReadRequest request(Namespace namespace, ReadSegmentsRequest message) {
    return new ReadRequest(
        new StreamKey(namespace, message.getStreamKey()),
        message.hasStartIndex() ? message.getStartIndex() : null,
        message.hasLast() ? message.getLast() : null,
        message.hasLimit() ? message.getLimit() : null,
        message.getFollow(),
        message.getWaitForStream(),
        message.hasHeartbeat() ? Times.duration("heartbeat", message.getHeartbeat()) : null);
  }

  /**
   * Adds those segments of the extent that the position wants, and moves it.
   *
   * @throws CorruptExtent the bytes do not hold the segments that the row promises
   */
  static void addTo(SegmentRun.Builder run, StreamKey key, Extent extent, ReadPosition position) {
    SegmentRun segments = parsed(key, extent);
    int offset = position.offsetIn(extent);
    int count = position.countIn(extent);
    run.addAllSegments(segments.getSegmentsList().subList(offset, offset + count));
    position.advance(count);
  }

  /**
   * The segments of an extent.
   *
   * @throws CorruptExtent the bytes do not hold the segments that the row promises
   */
  static SegmentRun parsed(StreamKey key, Extent extent) {
    try {
      SegmentRun segments = SegmentRun.parseFrom(extent.data());
      if (segments.getSegmentsCount() == extent.segmentCount()) {
        return segments;
      }
    } catch (InvalidProtocolBufferException e) {
      LOG.error("Extent {} of stream {} does not parse", extent.firstIndex(), key.key(), e);
    }
    throw new CorruptExtent(key.key(), extent.firstIndex());
  }

  static ReadSegmentsResponse caughtUp(long nextIndex) {
    return ReadSegmentsResponse.newBuilder()
        .setCaughtUp(CaughtUp.newBuilder().setNextIndex(nextIndex))
        .build();
  }

  static ReadSegmentsResponse heartbeat(long nextIndex) {
    return ReadSegmentsResponse.newBuilder()
        .setHeartbeat(Heartbeat.newBuilder().setNextIndex(nextIndex))
        .build();
  }

  static ReadSegmentsResponse end(ReadEnding ending) {
    ReadEnd.Builder end =
        ReadEnd.newBuilder().setReason(reason(ending.reason())).setNextIndex(ending.nextIndex());
    if (ending.finishReason() != null) {
      end.setFinishReason(ending.finishReason());
    }
    Failure failure = StreamMessages.failure(ending.failureCode(), ending.failureMessage());
    if (failure != null) {
      end.setFailure(failure);
    }
    return ReadSegmentsResponse.newBuilder().setEnd(end).build();
  }

  private static ReadEndReason reason(ReadEnding.Reason reason) {
    return switch (reason) {
      case COMPLETE -> ReadEndReason.READ_END_REASON_COMPLETE;
      case FAILED -> ReadEndReason.READ_END_REASON_FAILED;
      case SUPERSEDED -> ReadEndReason.READ_END_REASON_SUPERSEDED;
      case DELETED -> ReadEndReason.READ_END_REASON_DELETED;
      case LIMIT_REACHED -> ReadEndReason.READ_END_REASON_LIMIT_REACHED;
      case STILL_OPEN -> ReadEndReason.READ_END_REASON_STILL_OPEN;
    };
  }
}

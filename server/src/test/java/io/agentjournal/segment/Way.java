package io.agentjournal.segment;

import com.google.protobuf.InvalidProtocolBufferException;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.Channel;

/**
 * How segments get into a stream. Requests and answers of the three calls are the same, field by
 * field; tests write those of AppendSegments.
 */
enum Way {
  APPEND_SEGMENTS {
    @Override
    AppendSegmentsResponse append(Channel channel, AppendSegmentsRequest message) {
      return Appending.segments(channel).send(message).halfClose().awaitEnd();
    }
  },
  APPEND_SESSION {
    @Override
    AppendSegmentsResponse append(Channel channel, AppendSegmentsRequest message) {
      return Appending.session(channel).send(message).halfClose().awaitEnd();
    }
  },
  PUT_SEGMENTS {
    @Override
    AppendSegmentsResponse append(Channel channel, AppendSegmentsRequest message) {
      try {
        PutSegmentsRequest request = PutSegmentsRequest.parseFrom(message.toByteString());
        return AppendSegmentsResponse.parseFrom(
            SegmentServiceGrpc.newBlockingStub(channel).putSegments(request).toByteString());
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError(e);
      }
    }
  };

  /**
   * One whole call with this one message, which has {@code open}.
   *
   * @return its last answer
   * @throws io.grpc.StatusRuntimeException when it fails
   */
  abstract AppendSegmentsResponse append(Channel channel, AppendSegmentsRequest message);
}

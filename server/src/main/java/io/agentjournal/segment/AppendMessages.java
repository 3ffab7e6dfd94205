package io.agentjournal.segment;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnknownFieldSet;
import io.agentjournal.key.Identifier;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.TooLarge;
import io.agentjournal.segment.Batch.Origin;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentRun;
import io.agentjournal.v1.StreamEnd;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;

/**
 * Turns messages into batches, checking everything that can be checked without the stream's head.
 */
final class AppendMessages {
  private static final int MAX_FAILURE_MESSAGE_BYTES = 16 << 10;
  private static final int BATCH_OVERHEAD_BYTES = 200;

  private final AppendLimits limits;

  AppendMessages(AppendLimits limits) {
    this.limits = limits;
  }

  Batch batch(OpenedStream stream, AppendMessage message, Origin origin) {
    if (message.sizeBytes() > limits.maxMessageBytes()) {
      throw new TooLarge("message", message.sizeBytes(), limits.maxMessageBytes());
    }
    if (message.segmentCount() > limits.maxSegments()) {
      throw new TooLarge("segments", message.segmentCount(), limits.maxSegments());
    }
    long firstIndex = firstIndex(message);
    PackedSegments segments =
        message.packed() == null ? packed(message.unpacked()) : message.packed();
    return new Batch(
        stream.key(),
        stream.writer(),
        stream.contentType(),
        firstIndex,
        segments,
        message.end() == null ? null : ending(message.end()),
        segments.data().length + BATCH_OVERHEAD_BYTES,
        origin);
  }

  private static long firstIndex(AppendMessage message) {
    Long firstIndex = message.firstIndex();
    if (firstIndex == null) {
      if (message.segmentCount() == 0) {
        return 0;
      }
      throw InvalidField.because("first_index", "missing beside segments");
    }
    if (firstIndex < 0) {
      throw InvalidField.ofValue("first_index", firstIndex.toString(), "negative");
    }
    if (firstIndex > Long.MAX_VALUE - message.segmentCount()) {
      throw InvalidField.ofValue(
          "first_index", firstIndex.toString(), "beyond the last possible index");
    }
    return firstIndex;
  }

  private PackedSegments packed(List<Segment> segments) {
    int size = 0;
    long payload = 0;
    for (int i = 0; i < segments.size(); i++) {
      payload += checkedPayload(segments.get(i), i);
      size +=
          CodedOutputStream.computeMessageSize(SegmentRun.SEGMENTS_FIELD_NUMBER, segments.get(i));
    }
    byte[] data = new byte[size];
    CodedOutputStream output = CodedOutputStream.newInstance(data);
    try {
      for (Segment segment : segments) {
        output.writeMessage(SegmentRun.SEGMENTS_FIELD_NUMBER, canonical(segment));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the array was made to measure", e);
    }
    if (output.getTotalBytesWritten() == size) {
      return new PackedSegments(data, segments.size(), payload);
    }
    return PackedSegments.of(Arrays.copyOf(data, output.getTotalBytesWritten()));
  }

  /** What this server does not know is not part of a payload and would make equal ones unequal. */
  private static Segment canonical(Segment segment) {
    return segment.getUnknownFields().isEmpty()
        ? segment
        : segment.toBuilder().setUnknownFields(UnknownFieldSet.getDefaultInstance()).build();
  }

  private int checkedPayload(Segment segment, int position) {
    if (segment.getPayloadCase() == Segment.PayloadCase.PAYLOAD_NOT_SET) {
      throw InvalidField.because("segments[" + position + "].payload", "missing");
    }
    int encoded = segment.getSerializedSize() - segment.getUnknownFields().getSerializedSize();
    int payload = payloadBytes(encoded);
    if (payload > limits.maxSegmentBytes()) {
      throw new TooLarge("segments[" + position + "].payload", payload, limits.maxSegmentBytes());
    }
    return payload;
  }

  /** Without the tag and the length that come before it. */
  private static int payloadBytes(int encoded) {
    int lengthBytes = 1;
    while (CodedOutputStream.computeUInt32SizeNoTag(encoded - 1 - lengthBytes) > lengthBytes) {
      lengthBytes++;
    }
    return encoded - 1 - lengthBytes;
  }

  static StreamEnding ending(StreamEnd end) {
    Long expected = end.hasExpectedNextIndex() ? (Long) end.getExpectedNextIndex() : null;
    if (expected != null && expected < 0) {
      throw InvalidField.ofValue("end.expected_next_index", expected.toString(), "negative");
    }
    return switch (end.getResultCase()) {
      case FINISH_REASON ->
          new StreamEnding(
              StreamState.COMPLETE,
              Identifier.check("end.finish_reason", end.getFinishReason()),
              null,
              null,
              expected);
      case FAILURE ->
          new StreamEnding(
              StreamState.FAILED,
              null,
              Identifier.checkText(
                  "end.failure.code", end.getFailure().getCode(), Identifier.MAX_BYTES),
              Identifier.checkText(
                  "end.failure.message", end.getFailure().getMessage(), MAX_FAILURE_MESSAGE_BYTES),
              expected);
      case RESULT_NOT_SET -> throw InvalidField.because("end.result", "missing");
    };
  }
}

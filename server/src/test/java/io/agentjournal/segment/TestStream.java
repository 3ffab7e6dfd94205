package io.agentjournal.segment;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.StreamKey;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc.SegmentServiceBlockingStub;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import io.grpc.Channel;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A stand-alone stream with a key of its own, written through the API. */
final class TestStream {
  private final SegmentServiceBlockingStub stub;
  private final String key;

  TestStream(Channel channel) {
    this(channel, "stream-" + UUID.randomUUID());
  }

  TestStream(Channel channel, String key) {
    this.stub = SegmentServiceGrpc.newBlockingStub(channel);
    this.key = key;
  }

  String key() {
    return key;
  }

  StreamKey streamKey() {
    return new StreamKey(Namespace.DEFAULT, key);
  }

  StreamOpen open() {
    return StreamOpen.newBuilder().setStreamKey(key).build();
  }

  TestStream put(long firstIndex, String... texts) {
    return put(firstIndex, Stream.of(texts).map(TestStream::segment).toList());
  }

  TestStream put(long firstIndex, List<Segment> segments) {
    var unused =
        stub.putSegments(
            PutSegmentsRequest.newBuilder()
                .setOpen(open())
                .setFirstIndex(firstIndex)
                .addAllSegments(segments)
                .build());
    return this;
  }

  /** Segments whose text is their index, in messages of 1,000. */
  TestStream putNumbers(int from, int to) {
    for (int first = from; first < to; first += 1_000) {
      put(
          first,
          IntStream.range(first, Math.min(first + 1_000, to))
              .mapToObj(i -> segment(Integer.toString(i)))
              .toList());
    }
    return this;
  }

  TestStream complete(String finishReason) {
    return end(StreamEnd.newBuilder().setFinishReason(finishReason).build());
  }

  TestStream fail(String code, String message) {
    return end(
        StreamEnd.newBuilder()
            .setFailure(Failure.newBuilder().setCode(code).setMessage(message))
            .build());
  }

  private TestStream end(StreamEnd end) {
    var unused =
        stub.putSegments(PutSegmentsRequest.newBuilder().setOpen(open()).setEnd(end).build());
    return this;
  }

  static Segment segment(String text) {
    return Segment.newBuilder().setText(text).build();
  }

  ReadSegmentsRequest.Builder read() {
    return ReadSegmentsRequest.newBuilder().setStreamKey(key);
  }

  ReadSegmentsRequest.Builder follow() {
    return read().setFollow(true);
  }
}

package io.agentjournal.client;

import io.agentjournal.v1.ReadSegmentsRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Which part of a stream a {@link SegmentReader} reads. Without more: all that is stored. */
public final class SegmentReaderBuilder {
  private final JournalTransport transport;
  private final ReadSegmentsRequest.Builder request = ReadSegmentsRequest.newBuilder();
  private @Nullable Duration waitForStream;
  private Duration heartbeat = Duration.ofSeconds(15);

  SegmentReaderBuilder(JournalTransport transport, String streamKey) {
    this.transport = transport;
    request.setStreamKey(streamKey);
  }

  public SegmentReaderBuilder startIndex(long startIndex) {
    request.setStartIndex(startIndex);
    return this;
  }

  /** The last so many of what is stored when the call arrives. 0: only what comes. */
  public SegmentReaderBuilder last(long segments) {
    request.setLast(segments);
    return this;
  }

  /** No more than so many. */
  public SegmentReaderBuilder limit(long segments) {
    request.setLimit(segments);
    return this;
  }

  /** Goes on live until the stream ends. */
  public SegmentReaderBuilder follow() {
    request.setFollow(true);
    return this;
  }

  /** Waits so long for a stream that is not there yet, and then throws. */
  public SegmentReaderBuilder waitForStream(Duration atMost) {
    waitForStream = atMost;
    return this;
  }

  /**
   * With {@link #follow}: how often the server says that it is still there; 15 s, 1 s or more.
   * After more than two of them without a word the connection counts as dead.
   */
  public SegmentReaderBuilder heartbeat(Duration heartbeat) {
    this.heartbeat = heartbeat;
    return this;
  }

  /** Does not block: the reader's first {@code hasNext} does. */
  public SegmentReader open() {
    if (request.getFollow()) {
      request.setHeartbeat(
          com.google.protobuf.Duration.newBuilder()
              .setSeconds(heartbeat.getSeconds())
              .setNanos(heartbeat.getNano()));
    }
    return new SegmentReader(
        transport, request.build(), waitForStream, heartbeat.multipliedBy(5).dividedBy(2));
  }
}

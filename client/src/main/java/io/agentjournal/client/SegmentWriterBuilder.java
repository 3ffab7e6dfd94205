package io.agentjournal.client;

import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.StreamOpen;
import java.time.Duration;

/**
 * Which stream a {@link SegmentWriter} writes, by what right, and from where. A stream that belongs
 * to a submission wants its {@link #attempt}; one that stands alone should have a {@link
 * #writerEpoch}, without which two writers at once are told apart only by what they write.
 */
public final class SegmentWriterBuilder {
  private final JournalTransport transport;
  private final StreamOpen.Builder open = StreamOpen.newBuilder();
  private long startIndex;
  private boolean resume;
  private int windowBytes = 4 << 20;
  private Duration ackTimeout = Duration.ofSeconds(10);
  private SegmentWriterListener listener = new SegmentWriterListener() {};

  SegmentWriterBuilder(JournalTransport transport, String streamKey) {
    this.transport = transport;
    open.setStreamKey(streamKey);
  }

  public SegmentWriterBuilder attempt(String submissionId, String attemptId) {
    open.setAttempt(AttemptRef.newBuilder().setSubmissionId(submissionId).setAttemptId(attemptId));
    return this;
  }

  /** 0 or more; a higher one than the stream has seen shuts out its writers so far. */
  public SegmentWriterBuilder writerEpoch(long writerEpoch) {
    open.setWriterEpoch(writerEpoch);
    return this;
  }

  /** For whoever shows the stream, for example "text/plain". Counts when the stream is opened. */
  public SegmentWriterBuilder contentType(String contentType) {
    open.setContentType(contentType);
    return this;
  }

  /** Goes on where the stream stands: {@link SegmentWriter#startIndex} tells where that is. */
  public SegmentWriterBuilder resume() {
    this.resume = true;
    return this;
  }

  /**
   * The index of the first segment that is appended; unset 0. Segments that are stored already must
   * be equal to those appended here, and then are duplicates that succeed.
   */
  public SegmentWriterBuilder startIndex(long startIndex) {
    if (startIndex < 0) {
      throw new IllegalArgumentException("startIndex is " + startIndex);
    }
    this.startIndex = startIndex;
    this.resume = false;
    return this;
  }

  /**
   * So much may be appended and not yet durable, before {@code append} blocks; 4 MiB. Every segment
   * counts its payload and 64 bytes. A larger segment waits until it is alone.
   */
  public SegmentWriterBuilder windowBytes(int windowBytes) {
    if (windowBytes < 1) {
      throw new IllegalArgumentException("windowBytes is " + windowBytes);
    }
    this.windowBytes = windowBytes;
    return this;
  }

  /** When nothing was acknowledged for so long, the connection counts as dead; 10 s. */
  public SegmentWriterBuilder ackTimeout(Duration ackTimeout) {
    if (ackTimeout.isNegative() || ackTimeout.isZero()) {
      throw new IllegalArgumentException("ackTimeout is " + ackTimeout);
    }
    this.ackTimeout = ackTimeout;
    return this;
  }

  public SegmentWriterBuilder listener(SegmentWriterListener listener) {
    this.listener = listener;
    return this;
  }

  /**
   * Blocks until the server has accepted the writer, over restarts of the server.
   *
   * @throws JournalException when it is refused, or out of reach for too long
   */
  public SegmentWriter open() throws InterruptedException {
    Outbox<OutgoingSegment> outbox = new Outbox<>(windowBytes);
    boolean fenced = open.getWriterCase() != StreamOpen.WriterCase.WRITER_NOT_SET;
    AppendConnection connection =
        new AppendConnection(
            transport,
            open.build(),
            new WriterStart(resume, startIndex, fenced),
            outbox,
            listener,
            ackTimeout);
    connection.start();
    return SegmentWriter.opened(outbox, connection, ackTimeout);
  }
}

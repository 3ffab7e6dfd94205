package io.agentjournal.client;

import io.agentjournal.v1.ReadEnd;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.SegmentRun;
import io.grpc.Status;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a stream in order, each once, over any number of cuts. Ends only on the end that
 * the server states, which {@link #end} then tells. At most three messages are held, however slow
 * the reader is.
 *
 * <p>{@code hasNext} and {@code next} block; call them from one thread. {@code close} may be called
 * from any and wakes it.
 */
public final class SegmentReader implements Iterator<StoredSegment>, AutoCloseable {
  private final JournalTransport transport;
  private final ReadSegmentsRequest first;
  private final ReadPosition position;
  private final Duration silence;
  private final Outage outage;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final long openedAt = System.nanoTime();

  private volatile @Nullable ReadCall call;
  private @Nullable Duration waitForStream;
  private SegmentRun run = SegmentRun.getDefaultInstance();
  private int taken;
  private @Nullable ReadEnd end;

  SegmentReader(
      JournalTransport transport,
      ReadSegmentsRequest first,
      @Nullable Duration waitForStream,
      Duration silence) {
    this.transport = transport;
    this.first = first;
    this.position = new ReadPosition(first);
    this.waitForStream = waitForStream;
    this.silence = silence;
    this.outage = new Outage(transport.retry());
  }

  /**
   * Blocks until there is a segment, or the stream's end.
   *
   * @throws JournalException when the read is refused, segments are missing, or the journal is out
   *     of reach for too long
   */
  @Override
  public boolean hasNext() {
    while (taken == run.getSegmentsCount() && end == null) {
      receive();
    }
    return taken < run.getSegmentsCount();
  }

  @Override
  public StoredSegment next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the stream has ended: " + end);
    }
    StoredSegment next = new StoredSegment(run.getFirstIndex() + taken, run.getSegments(taken));
    taken++;
    return next;
  }

  /** How the read ended, once {@link #hasNext} has said false. */
  public ReadEnd end() {
    if (end == null || taken < run.getSegmentsCount()) {
      throw new IllegalStateException("the end is not reached");
    }
    return end;
  }

  /** Where a later reader would go on: the index after the last segment that {@link #next} gave. */
  public long nextIndex() {
    return taken < run.getSegmentsCount() ? run.getFirstIndex() + taken : position.nextIndex();
  }

  @Override
  public void close() {
    closed.countDown();
    ReadCall current = call;
    if (current != null) {
      current.cancel("closed");
    }
  }

  private void receive() {
    try {
      requireOpen();
      ReadCall current = call;
      if (current == null) {
        current = begin();
      }
      ReadCall.ReadEvent event = current.take(silence);
      requireOpen();
      if (event == null) {
        current.cancel("silent for " + silence);
        transport.leaveConnection();
        resume(current, CallFailure.of(Status.DEADLINE_EXCEEDED.withDescription("silence")));
      } else if (event.end() != null) {
        resume(current, event.end());
      } else if (event.message() != null) {
        accept(event.message());
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw JournalException.of(CallFailure.of(Status.CANCELLED.withDescription("interrupted")));
    }
  }

  private ReadCall begin() {
    transport.connectNow();
    ReadSegmentsRequest.Builder request = position.resume(first);
    request.setWaitForStream(waitForStream != null);
    ReadCall begun = ReadCall.start(transport.calls(), request.build(), leftToWait());
    call = begun;
    if (closed.getCount() == 0) {
      begun.cancel("closed");
    }
    return begun;
  }

  private void accept(ReadSegmentsResponse message) {
    waitForStream = null;
    outage.over();
    switch (message.getEventCase()) {
      case RUN -> {
        position.advance(message.getRun());
        run = message.getRun();
        taken = 0;
      }
      case CAUGHT_UP -> position.caughtUp(message.getCaughtUp().getNextIndex());
      case END -> {
        position.end(message.getEnd());
        end = message.getEnd();
      }
      default -> {}
    }
  }

  private void resume(ReadCall from, CallFailure failure) throws InterruptedException {
    call = null;
    if (position.isLimitReached()) {
      end = position.limitReached();
      return;
    }
    Duration left = leftToWait();
    boolean waitedEnough = left != null && (left.isNegative() || left.isZero());
    if (!failure.isTransient() || waitedEnough) {
      throw JournalException.of(failure);
    }
    CallFailure hopeless = outage.hopeless(from.ageNanos(), failure);
    if (hopeless != null) {
      throw JournalException.of(hopeless);
    }
    if (!closed.await(outage.pause().toNanos(), TimeUnit.NANOSECONDS) && transport.isClosed()) {
      throw JournalException.of(failure);
    }
  }

  /**
   * Null once the stream is there. The call's deadline is how the server knows how long to wait.
   */
  private @Nullable Duration leftToWait() {
    return waitForStream == null ? null : waitForStream.minusNanos(System.nanoTime() - openedAt);
  }

  private void requireOpen() {
    if (closed.getCount() == 0) {
      throw new IllegalStateException("the reader was closed");
    }
  }
}

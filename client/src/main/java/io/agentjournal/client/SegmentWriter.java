package io.agentjournal.client;

import com.google.protobuf.ByteString;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.StreamEnd;
import io.grpc.Status;
import java.time.Duration;
import java.util.Iterator;

/**
 * Appends segments to a stream and survives whatever happens to the connection and the server.
 * Thread-safe: segments get their indexes in the order in which {@code append} takes them.
 *
 * <p>{@code append} returns at once unless the window of segments that are not durable yet is full;
 * {@code awaitDurable}, {@code finish}, {@code fail} and {@code close} block until the server has
 * answered. A cut, a restart of the server or a dead connection is not told: the writer comes back
 * and goes on after the last durable segment. A refusal is final: this and every later call throw
 * it, and the listener is told at once.
 */
public final class SegmentWriter implements AutoCloseable {
  private final Outbox<OutgoingSegment> outbox;
  private final AppendConnection connection;
  private final Duration closeTimeout;
  private final long startIndex;

  private SegmentWriter(
      Outbox<OutgoingSegment> outbox,
      AppendConnection connection,
      Duration closeTimeout,
      long startIndex) {
    this.outbox = outbox;
    this.connection = connection;
    this.closeTimeout = closeTimeout;
    this.startIndex = startIndex;
  }

  static SegmentWriter opened(
      Outbox<OutgoingSegment> outbox, AppendConnection connection, Duration closeTimeout)
      throws InterruptedException {
    try {
      return new SegmentWriter(outbox, connection, closeTimeout, outbox.awaitStart());
    } catch (InterruptedException interrupted) {
      connection.stop(closed());
      throw interrupted;
    }
  }

  /** The index of the first segment that this writer appended or will append. */
  public long startIndex() {
    return startIndex;
  }

  /**
   * Blocks while the window is full.
   *
   * @return the segment's index
   * @throws InvalidSegment for half a surrogate pair, or more than 1 MiB
   * @throws JournalException when the writer was refused
   */
  public long append(String text) throws InterruptedException {
    return put(index -> OutgoingSegment.text(index, text));
  }

  /** As {@link #append(String)}, for bytes, which may be half a code point. They are copied. */
  public long append(byte[] data) throws InterruptedException {
    return append(ByteString.copyFrom(data));
  }

  /** As {@link #append(byte[])}, without the copy. */
  public long append(ByteString data) throws InterruptedException {
    return put(index -> OutgoingSegment.data(index, data));
  }

  /**
   * Appends all that a model says. What the iterator throws comes through as it is, after what came
   * before it is durable (or the journal has failed, which is then added to it as suppressed).
   *
   * @return the index after the last one
   */
  public long appendAll(Iterator<String> texts) throws InterruptedException {
    try {
      while (texts.hasNext()) {
        append(texts.next());
      }
    } catch (JournalException refused) {
      throw refused;
    } catch (RuntimeException | Error generatorFailed) {
      awaitDurableAfter(generatorFailed);
      throw generatorFailed;
    }
    return outbox.nextIndex();
  }

  private void awaitDurableAfter(Throwable after) throws InterruptedException {
    try {
      awaitDurable(outbox.nextIndex());
    } catch (JournalException alsoFailed) {
      after.addSuppressed(alsoFailed);
    }
  }

  /** Segments below it are durable, as this writer appended them. Grows. */
  public long durableIndex() {
    return outbox.durableIndex();
  }

  /** Blocks until {@code [0, nextIndex)} is durable. */
  public void awaitDurable(long nextIndex) throws InterruptedException {
    outbox.awaitDurable(nextIndex);
  }

  /** Somebody has asked to stop the submission. Also told to the listener. */
  public boolean abortRequested() {
    return connection.abortRequested();
  }

  /** Ends the stream: this was the whole response. Blocks until that is durable. */
  public void finish(String finishReason) throws InterruptedException {
    end(StreamEnd.newBuilder().setFinishReason(finishReason));
  }

  /** Ends the stream as failed; what was appended stays readable. Blocks until that is durable. */
  public void fail(String code, String message) throws InterruptedException {
    end(StreamEnd.newBuilder().setFailure(Failure.newBuilder().setCode(code).setMessage(message)));
  }

  public WriterCounters counters() {
    return connection.counters();
  }

  /**
   * Without an end before it, leaves the stream open for whoever goes on. Blocks until what was
   * appended is durable, but not longer than the timeout for acknowledgements.
   *
   * @throws JournalException when something appended is not durable, and no call has said so yet
   */
  @Override
  public void close() {
    try {
      if (outbox.phase() == WriterPhase.WRITING) {
        outbox.endWith(null);
        connection.wake();
        if (!outbox.awaitEnded(closeTimeout.toNanos())) {
          throw JournalException.of(notDurable());
        }
      }
      CallFailure untold = outbox.untoldFailure();
      if (untold != null) {
        throw JournalException.of(untold);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw JournalException.of(notDurable());
    } finally {
      connection.stop(closed());
    }
  }

  private CallFailure notDurable() {
    return CallFailure.of(
        Status.DEADLINE_EXCEEDED.withDescription(
            "closed with segments from " + durableIndex() + " on not known to be durable"));
  }

  private long put(Outbox.Source<OutgoingSegment> source) throws InterruptedException {
    long index = outbox.put(source);
    connection.wake();
    return index;
  }

  private void end(StreamEnd.Builder end) throws InterruptedException {
    outbox.endWith(end);
    connection.wake();
    outbox.awaitEnded();
  }

  private static CallFailure closed() {
    return CallFailure.of(Status.CANCELLED.withDescription("the writer was closed"));
  }
}

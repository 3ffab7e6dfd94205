package io.agentjournal.client;

import io.agentjournal.v1.Event;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.Payload;
import io.grpc.Status;
import java.time.Duration;

/**
 * Appends events to a run without waiting for each, and survives whatever happens to the connection
 * and the server. Thread-safe: events are stored in the order in which {@code append} takes them,
 * and numbered in it from 0.
 *
 * <p>{@code append} returns at once unless the window of events that are not durable yet is full;
 * {@code awaitDurable} and {@code close} block until the server has answered. A cut, a restart of
 * the server or a dead connection is not told: the writer sends again what was not acknowledged. A
 * refusal is final: this and every later call throw it, and the listener is told at once. What came
 * before the refused event is stored, what came after it is not.
 */
public final class RunEventWriter implements AutoCloseable {
  private final Outbox<OutgoingEvent> outbox;
  private final EventConnection connection;
  private final Duration closeTimeout;

  RunEventWriter(Outbox<OutgoingEvent> outbox, EventConnection connection, Duration closeTimeout) {
    this.outbox = outbox;
    this.connection = connection;
    this.closeTimeout = closeTimeout;
  }

  /**
   * Blocks while the window is full.
   *
   * @param json the payload
   * @return the event's number
   * @throws JournalException when the writer was refused
   */
  public long append(long seq, EventKind kind, String json) throws InterruptedException {
    return append(
        Event.newBuilder()
            .setSeq(seq)
            .setKind(kind)
            .setPayload(Payload.newBuilder().setJson(json))
            .build());
  }

  /** As {@link #append(long, EventKind, String)}, of any payload. */
  public long append(Event event) throws InterruptedException {
    long number = outbox.put(unused -> new OutgoingEvent(event));
    connection.wake();
    return number;
  }

  /** The first so many events are durable. Grows. */
  public long durableEvents() {
    return outbox.durableIndex();
  }

  /** Blocks until the first {@code events} events are durable. */
  public void awaitDurable(long events) throws InterruptedException {
    outbox.awaitDurable(events);
  }

  /**
   * Blocks until what was appended is durable, but not longer than the timeout for
   * acknowledgements.
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
      connection.stop(CallFailure.of(Status.CANCELLED.withDescription("the writer was closed")));
    }
  }

  private CallFailure notDurable() {
    return CallFailure.of(
        Status.DEADLINE_EXCEEDED.withDescription(
            "closed with events from " + durableEvents() + " on not known to be durable"));
  }
}

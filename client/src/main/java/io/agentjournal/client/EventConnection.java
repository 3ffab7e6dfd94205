package io.agentjournal.client;

import io.agentjournal.v1.AppendEventsSessionResponse;
import io.agentjournal.v1.EventsOpen;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an AppendEventsSession call open while the writer has something that is not durable.
 *
 * <ol>
 *   <li>Opens a call when there is something to send, and sends all of it that is not acknowledged.
 *   <li>Sends what comes, while the transport is ready.
 *   <li>When the call is cut, or something waits for its acknowledgement for too long: from 1
 *       again.
 *   <li>When the call is refused: fails the outbox for good.
 * </ol>
 *
 * Its state is touched only by tasks of {@link #serial}, gRPC's callbacks among them. Never blocks.
 */
final class EventConnection {
  /** Sent in one task; what came meanwhile, answers too, has its turn before the next. */
  private static final int MAX_EVENTS_AT_ONCE = 256;

  private static final int MAX_BYTES_AT_ONCE = 64 << 10;

  private final JournalTransport transport;
  private final SerialExecutor serial;
  private final EventsOpen open;
  private final Outbox<OutgoingEvent> outbox;
  private final RunEventListener listener;
  private final AckWatch watch;
  private final Outage outage;
  private final AtomicBoolean pumpScheduled = new AtomicBoolean();
  private final Runnable onClientClose = this::clientClosed;

  private @Nullable EventSessionCall call;
  private boolean pausing;
  private boolean over;

  EventConnection(
      JournalTransport transport,
      EventsOpen open,
      Outbox<OutgoingEvent> outbox,
      RunEventListener listener,
      Duration ackTimeout) {
    this.transport = transport;
    this.serial = transport.newSerialExecutor();
    this.open = open;
    this.outbox = outbox;
    this.listener = listener;
    this.watch = new AckWatch(transport, serial, ackTimeout, this::silent);
    this.outage = new Outage(transport.retry());
  }

  // --- for the writer, from any thread

  void start() {
    transport.register(onClientClose);
    outbox.opened(0);
  }

  /** Something was put into the outbox. */
  void wake() {
    if (pumpScheduled.compareAndSet(false, true)) {
      serial.execute(
          () -> {
            pumpScheduled.set(false);
            pump();
          });
    }
  }

  /** Lets go of the call; what waits on the outbox is told {@code why}, unless it has ended. */
  void stop(CallFailure why) {
    serial.execute(
        () -> {
          if (!over) {
            EventSessionCall current = call;
            fail(why);
            if (current != null) {
              current.cancel(why.message());
            }
          }
        });
  }

  // --- for the call

  void ready(EventSessionCall from) {
    if (from == call) {
      pump();
    }
  }

  void acknowledged(EventSessionCall from, AppendEventsSessionResponse answer) {
    if (from == call) {
      for (long unchanged : answer.getUnchangedEventsList()) {
        listener.recordedAlready(from.number(unchanged));
      }
      acknowledge(from.number(answer.getDurableEvents()));
    }
  }

  /** The server has taken all of a call that we closed. */
  void completed(EventSessionCall from) {
    if (from == call) {
      call = null;
      finish();
      outbox.ended();
    }
  }

  void lost(EventSessionCall from, CallFailure failure) {
    if (from == call) {
      acknowledge(from.durable(failure));
      lose(from, failure);
    }
  }

  // --- tasks

  private void pump() {
    if (over || pausing) {
      return;
    }
    EventSessionCall current = call;
    if (current == null) {
      if (outbox.hasUnacknowledged()) {
        connect();
      }
      return;
    }
    if (!current.isReady()) {
      return;
    }
    Outbox.Batch<OutgoingEvent> batch = outbox.take(MAX_EVENTS_AT_ONCE, MAX_BYTES_AT_ONCE);
    if (!batch.isEmpty()) {
      watch.waits();
      current.send(batch.items());
      wake();
    }
    if (batch.isLast()) {
      watch.waits();
      current.halfClose();
    }
  }

  private void connect() {
    transport.connectNow();
    watch.waits();
    outbox.rewind();
    call = EventSessionCall.start(transport.calls(), serial, open, outbox.durableIndex(), this);
    wake();
  }

  private void acknowledge(long index) {
    if (outbox.acknowledge(index)) {
      outage.over();
      watch.answered();
      if (outbox.hasUnacknowledged()) {
        watch.waits();
      }
      listener.durable(outbox.durableIndex());
    }
  }

  private void silent() {
    EventSessionCall current = call;
    if (current != null) {
      current.cancel("no acknowledgement in time");
      transport.leaveConnection();
      lose(current, CallFailure.of(Status.DEADLINE_EXCEEDED.withDescription("no acknowledgement")));
    }
  }

  private void lose(EventSessionCall from, CallFailure failure) {
    dropCall();
    if (!failure.isTransient()) {
      fail(failure);
      return;
    }
    if (!outbox.hasUnacknowledged()) {
      // Nothing is at stake until something is appended.
      return;
    }
    CallFailure hopeless = outage.hopeless(from.ageNanos(), failure);
    if (hopeless == null) {
      pausing = true;
      transport.schedule(outage.pause(), serial, this::resume);
    } else {
      fail(hopeless);
    }
  }

  private void resume() {
    pausing = false;
    pump();
  }

  private void fail(CallFailure failure) {
    dropCall();
    finish();
    outbox.failed(failure);
    listener.failed(JournalException.of(failure));
  }

  private void dropCall() {
    call = null;
    watch.answered();
  }

  private void finish() {
    over = true;
    watch.answered();
    transport.unregister(onClientClose);
  }

  private void clientClosed() {
    stop(CallFailure.of(Status.CANCELLED.withDescription("the client was closed")));
  }
}

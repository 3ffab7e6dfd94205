package io.agentjournal.client;

import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.StreamOpen;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an AppendSession call open for as long as the writer lives.
 *
 * <ol>
 *   <li>Opens the call and waits for the first answer, which tells next_index.
 *   <li>Takes out of the outbox what an earlier call sent and the server has: as it is where nobody
 *       else can have written, after a comparison with what is stored where somebody can.
 *   <li>Sends the rest from there, each time all that is there, while the transport is ready.
 *   <li>When the call is cut, or something waits for its acknowledgement for too long: from 1
 *       again.
 *   <li>When the call is refused: fails the outbox for good.
 * </ol>
 *
 * Its state is touched only by tasks of {@link #serial}, gRPC's callbacks among them. Never blocks.
 */
final class AppendConnection {
  private static final int MAX_MESSAGE_SEGMENTS = 1_000;
  private static final int MAX_MESSAGE_BYTES = 1 << 20;

  private final JournalTransport transport;
  private final SerialExecutor serial;
  private final StreamOpen open;
  private final WriterStart start;
  private final Outbox<OutgoingSegment> outbox;
  private final SegmentWriterListener listener;
  private final ResumePoint resumePoint;
  private final WriterCounts counts = new WriterCounts();
  private final AckWatch watch;
  private final Outage outage;
  private final AtomicBoolean pumpScheduled = new AtomicBoolean();
  private final Runnable onClientClose = this::clientClosed;

  private volatile boolean abortRequested;
  private @Nullable AppendSessionCall call;
  private @Nullable StoredComparison comparison;
  private boolean over;

  AppendConnection(
      JournalTransport transport,
      StreamOpen open,
      WriterStart start,
      Outbox<OutgoingSegment> outbox,
      SegmentWriterListener listener,
      Duration ackTimeout) {
    this.transport = transport;
    this.serial = transport.newSerialExecutor();
    this.open = open;
    this.start = start;
    this.outbox = outbox;
    this.listener = listener;
    this.resumePoint = new ResumePoint(start.fenced());
    this.watch = new AckWatch(transport, serial, ackTimeout, this::silent);
    this.outage = new Outage(transport.retry());
  }

  // --- for the writer, from any thread

  void start() {
    transport.register(onClientClose);
    serial.execute(this::connect);
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
            AppendSessionCall current = call;
            fail(why);
            if (current != null) {
              current.cancel(why.message());
            }
          }
        });
  }

  boolean abortRequested() {
    return abortRequested;
  }

  WriterCounters counters() {
    return counts.snapshot();
  }

  // --- for the call

  void ready(AppendSessionCall from) {
    if (from == call) {
      pump();
    }
  }

  void opened(AppendSessionCall from, AppendSessionResponse answer) {
    if (from != call) {
      return;
    }
    watch.answered();
    long stored = answer.getNextIndex();
    if (resumePoint.isFirst()) {
      resumePoint.found(stored);
      outbox.opened(start.resume() ? stored : start.index());
      send(from);
    } else if (resumePoint.isBehind(stored)) {
      fail(resumePoint.lostByServer(stored));
      from.cancel("acknowledged segments are gone");
    } else {
      settleInFlight(from, stored);
    }
    heed(answer);
  }

  void acknowledged(AppendSessionCall from, AppendSessionResponse answer) {
    if (from != call) {
      return;
    }
    heed(answer);
    if (from.isSending()) {
      counts.duplicates(from.newDuplicates(answer));
      acknowledge(from.judgedIndex(answer));
    }
  }

  /** The server has taken all of a call that we closed. */
  void completed(AppendSessionCall from) {
    if (from == call) {
      acknowledge(Long.MAX_VALUE);
      call = null;
      finish();
      outbox.ended();
    }
  }

  void lost(AppendSessionCall from, CallFailure failure) {
    if (from == call) {
      lose(from, failure);
    }
  }

  // --- tasks

  private void connect() {
    if (!over) {
      transport.connectNow();
      counts.call();
      watch.waits();
      call = AppendSessionCall.start(transport.calls(), serial, open, this);
    }
  }

  private void settleInFlight(AppendSessionCall from, long stored) {
    List<OutgoingSegment> inFlight = outbox.inFlight();
    long durable = outbox.durableIndex();
    ResumePoint.Known known = resumePoint.known(stored, durable + inFlight.size());
    if (durable >= known.doubtful()) {
      acknowledge(known.known());
      send(from);
      return;
    }
    watch.waits();
    comparison =
        StoredComparison.start(
            transport.calls(),
            serial,
            open.getStreamKey(),
            durable,
            inFlight.subList(0, (int) (known.doubtful() - durable)),
            failure -> {
              if (from != call) {
                return;
              }
              comparison = null;
              if (failure == null) {
                acknowledge(known.known());
                send(from);
              } else {
                from.cancel("what is stored could not be compared");
                lose(from, failure);
              }
            });
  }

  private void send(AppendSessionCall current) {
    outbox.rewind();
    current.beginSendingAt(outbox.durableIndex());
    if (!outbox.hasUnacknowledged()) {
      outage.over();
    }
    pump();
  }

  /**
   * Sends one message of what is there; the next one is a task of its own, after what came
   * meanwhile.
   */
  private void pump() {
    AppendSessionCall current = call;
    if (current == null || !current.isReady()) {
      return;
    }
    Outbox.Batch<OutgoingSegment> batch = outbox.take(MAX_MESSAGE_SEGMENTS, MAX_MESSAGE_BYTES);
    if (!batch.isEmpty()) {
      counts.sent(batch, current.openNextIndex());
      watch.waits();
      current.send(batch);
      wake();
    }
    if (batch.isLast()) {
      watch.waits();
      current.halfClose();
    }
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

  private void heed(AppendSessionResponse answer) {
    resumePoint.told(answer.getNextIndex());
    if (answer.getAbortRequested() && !abortRequested) {
      abortRequested = true;
      listener.abortRequested();
    }
  }

  private void silent() {
    AppendSessionCall current = call;
    if (current != null) {
      current.cancel("no acknowledgement in time");
      transport.leaveConnection();
      lose(current, CallFailure.of(Status.DEADLINE_EXCEEDED.withDescription("no acknowledgement")));
    }
  }

  private void lose(AppendSessionCall from, CallFailure failure) {
    dropCall();
    if (!failure.isTransient()) {
      fail(failure);
      return;
    }
    CallFailure hopeless = outage.hopeless(from.ageNanos(), failure);
    if (hopeless == null) {
      transport.schedule(outage.pause(), serial, this::connect);
    } else {
      fail(hopeless);
    }
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
    if (comparison != null) {
      comparison.cancel();
      comparison = null;
    }
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

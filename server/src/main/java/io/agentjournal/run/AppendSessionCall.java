package io.agentjournal.run;

import io.agentjournal.database.DatabaseFailure;
import io.agentjournal.key.Namespace;
import io.agentjournal.refusal.Refusal;
import io.agentjournal.refusal.Refusal.EventConflict;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.ServerDraining;
import io.agentjournal.rpc.Draining;
import io.agentjournal.rpc.MalformedRequests;
import io.agentjournal.rpc.RefusalStatus;
import io.agentjournal.v1.AppendEventsSessionRequest;
import io.agentjournal.v1.AppendEventsSessionResponse;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One AppendEventsSession call. Messages come on the event loop, outcomes on a lane's thread; both
 * meet under this object's lock, under which nothing blocks.
 *
 * <p>The next message is asked for as long as the bytes under way, of this call and of all, are
 * within their limits. Whatever ends the call but its client, what came before is stored, and the
 * status says how far it got.
 */
final class AppendSessionCall implements StreamObserver<AppendEventsSessionRequest>, AppendAnswer {
  private static final long MAX_CALL_BYTES = 1L << 20;

  /** The numbers of events are all that grows while the client does not read. */
  private static final int MAX_UNTOLD_NUMBERS = 10_000;

  private final Namespace namespace;
  private final AppendCalls.Parts parts;
  private final ServerCallStreamObserver<AppendEventsSessionResponse> observer;
  private final SessionProgress progress = new SessionProgress();

  /** Null while the constructor runs: a server that drains ends a new call right there. */
  private Draining.@Nullable Registration drainRegistration;

  /** Both set by the first message. */
  private @Nullable EventWriter writer;

  private @Nullable SessionQueue queue;
  private @Nullable RuntimeException ending;
  private boolean isReading;
  private boolean isWaitingForRoom;
  private boolean clientIsDone;
  private boolean isClosed;

  AppendSessionCall(
      Namespace namespace,
      AppendCalls.Parts parts,
      ServerCallStreamObserver<AppendEventsSessionResponse> observer) {
    this.namespace = namespace;
    this.parts = parts;
    this.observer = observer;
    observer.disableAutoRequest();
    observer.setOnReadyHandler(this::ready);
    observer.setOnCancelHandler(this::cancelled);
    observer.request(1);
    MalformedRequests.onMalformed(this::endWith);
    this.drainRegistration = parts.draining().onBegin(() -> endWith(new ServerDraining()));
  }

  /** Until this message is read, no other comes. */
  @Override
  public void onNext(AppendEventsSessionRequest request) {
    synchronized (this) {
      isReading = true;
    }
    try {
      parts.whereItMayTakeLong(request.getSerializedSize(), () -> read(request));
    } catch (Refusal overloaded) {
      readNothing(overloaded);
    }
  }

  private void read(AppendEventsSessionRequest request) {
    RunAppend append;
    try {
      EventWriter by = writer(request);
      List<NewEvent> events =
          EventMessages.newEvents(request.getSerializedSize(), request.getEventsList());
      append = events.isEmpty() ? null : by.append(events);
    } catch (RuntimeException e) {
      readNothing(e);
      return;
    }
    take(append);
  }

  private synchronized EventWriter writer(AppendEventsSessionRequest request) {
    if (writer != null) {
      if (request.hasOpen()) {
        throw InvalidField.because("open", "only in the first message");
      }
      return writer;
    }
    if (!request.hasOpen()) {
      throw InvalidField.because("open", "missing in the first message");
    }
    EventWriter opened = EventMessages.writer(namespace, request.getOpen());
    writer = opened;
    queue = new SessionQueue(opened);
    return opened;
  }

  private synchronized void readNothing(RuntimeException failure) {
    isReading = false;
    endWith(failure);
  }

  private synchronized void take(@Nullable RunAppend append) {
    isReading = false;
    if (!isClosed && ending == null) {
      if (append != null && queue != null) {
        parts.lanes().memory().take(append.sizeBytes());
        queue.add(append);
        submit(queue);
      }
      askForMore();
    }
    finishIfDone();
  }

  private void submit(SessionQueue messages) {
    if (messages.isReady()) {
      parts.lanes().appendTaken(messages.next(), this);
    }
  }

  private void askForMore() {
    boolean isFull = queue != null && queue.sizeBytes() >= MAX_CALL_BYTES;
    if (isFull || progress.untoldUnchanged().size() >= MAX_UNTOLD_NUMBERS) {
      isWaitingForRoom = true;
    } else {
      parts.lanes().memory().request(observer);
    }
  }

  private void resume() {
    if (isWaitingForRoom && !isClosed && ending == null) {
      isWaitingForRoom = false;
      askForMore();
    }
  }

  @Override
  public synchronized void onCompleted() {
    clientIsDone = true;
    if (writer == null && !isReading) {
      endWith(InvalidField.because("open", "missing: no message came"));
    }
    finishIfDone();
  }

  @Override
  public void onError(Throwable cancellation) {
    // The cancel handler has it.
  }

  @Override
  public synchronized void appended(Appended appended) {
    SessionQueue messages = opened();
    progress.add(messages.eventsUnderWay(), appended);
    parts.lanes().memory().give(messages.finished());
    submit(messages);
    if (!isClosed) {
      tell();
      finishIfDone();
      resume();
    }
  }

  @Override
  public synchronized void failed(Throwable failure) {
    SessionQueue messages = opened();
    boolean isOfOne = failure instanceof EventConflict || failure instanceof DatabaseFailure;
    if (isOfOne && messages.divide()) {
      if (isClosed) {
        parts.lanes().memory().give(messages.drop());
      }
      submit(messages);
      return;
    }
    parts.lanes().memory().give(messages.finished());
    close(failure);
  }

  private SessionQueue opened() {
    if (queue == null) {
      throw new IllegalStateException("nothing was handed to a lane");
    }
    return queue;
  }

  private void tell() {
    if (progress.isUntold() && observer.isReady()) {
      observer.onNext(EventMessages.from(progress));
      progress.told();
    }
  }

  /** The client reads again: one answer covers all that it missed. */
  private synchronized void ready() {
    if (!isClosed) {
      tell();
      resume();
    }
  }

  /** Ends the call once what came before is stored. */
  private synchronized void endWith(RuntimeException failure) {
    if (!isClosed && ending == null) {
      ending = failure;
      finishIfDone();
    }
  }

  private void finishIfDone() {
    if (isClosed || isReading || (queue != null && !queue.isEmpty())) {
      return;
    }
    if (ending != null) {
      close(ending);
    } else if (clientIsDone) {
      if (progress.isUntold()) {
        observer.onNext(EventMessages.from(progress));
      }
      observer.onCompleted();
      end();
    }
  }

  private void close(Throwable failure) {
    if (!isClosed) {
      observer.onError(
          RefusalStatus.of(
              RunJournalServiceGrpc.getAppendEventsSessionMethod().getFullMethodName(),
              failure,
              Map.of("durable_events", Long.toString(progress.durableEvents()))));
    }
    end();
  }

  private synchronized void cancelled() {
    end();
  }

  private void end() {
    isClosed = true;
    if (queue != null) {
      parts.lanes().memory().give(queue.drop());
    }
    if (drainRegistration != null) {
      drainRegistration.close();
    }
  }
}

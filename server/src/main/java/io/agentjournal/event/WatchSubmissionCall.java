package io.agentjournal.event;

import io.agentjournal.database.DatabaseUnavailable;
import io.agentjournal.refusal.Refusal.Overloaded;
import io.agentjournal.refusal.Refusal.ServerDraining;
import io.agentjournal.rpc.Steps;
import io.agentjournal.segment.Registration;
import io.agentjournal.segment.SegmentReads;
import io.agentjournal.segment.StreamStretch;
import io.agentjournal.segment.TableLook;
import io.agentjournal.v1.WatchSubmissionResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One WatchSubmission call, which takes one step at a time as a read of segments does: whoever has
 * something for it leaves it and calls signals. While the client is ready, a step
 *
 * <ol>
 *   <li>sends what is in hand;
 *   <li>with nothing in hand, looks for what comes next;
 *   <li>when all was told, says so once, and waits.
 * </ol>
 *
 * While it waits it holds neither thread nor connection; while its client is slow nobody looks for
 * it.
 */
final class WatchSubmissionCall {
  /** A watch outlasts a database that is away: it looks again so often. */
  private static final Duration RETRY = Duration.ofMillis(250);

  private final WatchRequest request;
  private final ServerCallStreamObserver<WatchSubmissionResponse> client;
  private final Watches watches;
  private final Steps steps;
  private final TableLook look;
  private final Heartbeat heartbeat;

  /** What the wait ended with. */
  private final AtomicReference<@Nullable Optional<StreamStretch>> news = new AtomicReference<>();

  private volatile boolean resting;

  // --- Only steps use what follows.
  private @Nullable Registration draining;

  /** Null: it is not known yet where to begin. */
  private @Nullable WatchProgress progress;

  private @Nullable WaitingWatch waiting;
  private boolean toldCaughtUp;
  private boolean done;
  private long newsNanos = System.nanoTime();

  WatchSubmissionCall(
      WatchRequest request,
      ServerCallStreamObserver<WatchSubmissionResponse> client,
      Watches watches) {
    SegmentReads reads = watches.reads();
    this.request = request;
    this.client = client;
    this.watches = watches;
    this.steps = new Steps(reads::execute, this::step);
    this.look = new TableLook(reads.pool(), steps::signal);
    this.heartbeat = new Heartbeat(request.heartbeat(), reads, steps::signal);
  }

  /** To be called once, by the service's method. */
  void start() {
    client.setOnReadyHandler(steps::signal);
    client.setOnCancelHandler(steps::signal);
    steps.signal();
  }

  private void step() {
    if (done) {
      return;
    }
    try {
      takeStep();
    } catch (DatabaseUnavailable | Overloaded e) {
      if (progress == null) {
        fail(e);
      } else {
        rest();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void takeStep() {
    if (draining == null) {
      draining = watches.reads().onDraining(steps::signal);
    }
    if (client.isCancelled()) {
      release();
      return;
    }
    if (watches.reads().isDraining()) {
      throw new ServerDraining();
    }
    look.take();
    takeNews();
    boolean goesOn = !done;
    while (goesOn && client.isReady()) {
      goesOn = advance();
    }
    if (!done) {
      keepAlive();
    }
  }

  private void takeNews() {
    Optional<StreamStretch> told = news.getAndSet(null);
    if (told == null || progress == null) {
      return;
    }
    waiting = null;
    newsNanos = System.nanoTime();
    progress.lookAgain();
    told.ifPresent(progress::wentOn);
  }

  /** Does one thing; answers whether there may be another at once. */
  private boolean advance() {
    WatchProgress here = progress;
    WatchItem item = here == null ? null : here.next();
    if (item != null) {
      send(WatchMessages.of(request.target(), item));
      return true;
    }
    if (here != null && here.ending() != null) {
      end(WatchMessages.end(request.target(), here.position(), here.ending()));
      return false;
    }
    if (look.isUnderWay() || resting || waiting != null) {
      return false;
    }
    if (here == null) {
      look.ask(() -> watches.starts().start(request.target(), request.cursor()), this::started);
      return false;
    }
    WatchPosition position = here.position();
    if (here.mustLook()) {
      look.ask(
          () -> watches.store().look(request.target(), position, request.withSegments()),
          found -> found(here, found));
      return false;
    }
    if (!toldCaughtUp) {
      toldCaughtUp = true;
      send(WatchMessages.caughtUp(request.target(), position));
      return true;
    }
    await(position);
    return false;
  }

  private void started(Optional<WatchPosition> start) {
    if (start.isPresent()) {
      progress = new WatchProgress(request.target(), request.withSegments(), start.get());
    } else {
      end(WatchMessages.deleted(request));
    }
  }

  private void found(WatchProgress here, WatchFound found) {
    here.found(found);
    if (here.lookedInVain()) {
      rest();
    }
  }

  /** Nobody looks for it before its client has taken all. */
  private void await(WatchPosition here) {
    WaitingWatch patient =
        new WaitingWatch(
            request.target(),
            here,
            request.withSegments(),
            newsNanos,
            stretch -> {
              news.set(Optional.ofNullable(stretch));
              steps.signal();
            });
    waiting = patient;
    watches.watch().await(patient);
  }

  /** The database is away, or not all of it can be seen yet. The watch stays, and looks again. */
  private void rest() {
    if (progress != null) {
      progress.lookAgain();
    }
    resting = true;
    watches
        .reads()
        .after(
            RETRY,
            () -> {
              resting = false;
              steps.signal();
            });
  }

  private void send(WatchSubmissionResponse message) {
    client.onNext(message);
    heartbeat.sent();
  }

  private void keepAlive() {
    if (heartbeat.isDue() && client.isReady()) {
      send(WatchMessages.heartbeat());
    }
    heartbeat.set();
  }

  private void end(WatchSubmissionResponse message) {
    release();
    client.onNext(message);
    client.onCompleted();
  }

  private void fail(Throwable failure) {
    release();
    client.onError(failure);
  }

  /** From here on nobody knows of this call any more. */
  private void release() {
    done = true;
    if (progress != null) {
      progress.close();
    }
    heartbeat.close();
    if (waiting != null) {
      watches.watch().forget(waiting);
    }
    if (draining != null) {
      draining.close();
    }
  }
}

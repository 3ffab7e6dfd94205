package io.agentjournal.segment;

import io.agentjournal.database.DatabaseUnavailable;
import io.agentjournal.refusal.Refusal.CorruptExtent;
import io.agentjournal.refusal.Refusal.Overloaded;
import io.agentjournal.refusal.Refusal.ServerDraining;
import io.agentjournal.refusal.Refusal.StreamNotFound;
import io.agentjournal.rpc.Steps;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One ReadSegments call: a state machine that others nudge. Whoever has something for it (the
 * client became ready or went away, a lane committed, the watch found something, a page arrived,
 * time passed) leaves it and calls signals; one step at a time then does what can be done:
 *
 * <ol>
 *   <li>finds the stream, or waits for it;
 *   <li>while the client is ready: sends what is in hand; with nothing in hand, reads the next page
 *       when the stream goes on, ends when it does not, and waits when both may come.
 * </ol>
 *
 * While it waits it holds neither thread nor connection.
 */
final class ReadCall {
  /** Followers outlast a database that is away: they look again so often. */
  private static final Duration RETRY = Duration.ofMillis(250);

  private final ReadRequest request;
  private final ServerCallStreamObserver<ReadSegmentsResponse> client;
  private final SegmentReads reads;
  private final Steps steps;
  private final TableLook look;

  private final StreamWait wait;

  private volatile boolean resting;
  private volatile boolean alarmSet;

  // --- Only steps use what follows.

  private final List<Registration> held = new ArrayList<>();
  private Registration alarm = () -> {};
  private @Nullable FoundStream stream;
  private boolean sought;
  private boolean mustLook;
  private boolean foundHole;
  private boolean toldCaughtUp;
  private boolean done;
  private long sentAtNanos = System.nanoTime();

  private record FoundStream(
      long id, ReadPosition position, ExtentQueue queue, ReadAnswers answers) {}

  ReadCall(
      ReadRequest request,
      ServerCallStreamObserver<ReadSegmentsResponse> client,
      SegmentReads reads) {
    this.request = request;
    this.client = client;
    this.reads = reads;
    this.steps = new Steps(reads::execute, this::step);
    this.look = new TableLook(reads.pool(), steps::signal);
    this.wait = new StreamWait(request, reads, steps::signal);
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
      if (request.follow() && stream != null) {
        rest();
      } else {
        fail(e);
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void takeStep() {
    if (held.isEmpty()) {
      held.add(reads.onDraining(steps::signal));
    }
    if (client.isCancelled()) {
      release();
      return;
    }
    boolean outlastsDraining = request.follow() || stream == null;
    if (outlastsDraining && reads.isDraining()) {
      throw new ServerDraining();
    }
    receive();
    FoundStream found = stream;
    if (found != null) {
      boolean goesOn = true;
      while (goesOn && client.isReady()) {
        goesOn = advance(found);
      }
    }
    keepAlive();
  }

  private void receive() {
    look.take();
    Head head = wait.take();
    if (head != null && stream == null) {
      found(head, request.beforeStream());
    }
    if (wait.isOver() && stream == null) {
      throw new StreamNotFound(request.key().key());
    }
    if (!sought) {
      sought = true;
      look.ask(() -> reads.store().find(request.key()), this::foundOrAwaited);
    }
  }

  private void foundOrAwaited(Optional<Head> head) {
    if (head.isPresent()) {
      found(head.get(), request);
    } else if (request.waitForStream()) {
      wait.begin(look);
    } else {
      throw new StreamNotFound(request.key().key());
    }
  }

  /** Registers first and reads then: what is committed in between is told or read, or both. */
  private void found(Head head, ReadRequest asked) {
    wait.close();
    ReadPosition position = new ReadPosition(asked, head);
    ExtentQueue queue = new ExtentQueue(position.nextIndex(), head, reads.heldBytes());
    if (request.follow()) {
      held.add(
          reads
              .changes()
              .follow(
                  head.streamId(),
                  change -> {
                    queue.offer(change);
                    steps.signal();
                  }));
      mustLook = true;
    }
    held.add(queue::close);
    ReadAnswers answers = new ReadAnswers(request.key(), position, queue);
    stream = new FoundStream(head.streamId(), position, queue, answers);
  }

  /** Does one thing; answers whether there may be another at once. */
  private boolean advance(FoundStream found) {
    ReadPosition position = found.position();
    ReadSegmentsResponse run = found.answers().nextRun();
    if (run != null) {
      send(run);
      return true;
    }
    if (look.isUnderWay() || resting) {
      return false;
    }
    Head newest = found.queue().newest();
    ReadEnding ending = position.ending(newest);
    if (ending != null) {
      end(ending);
      return false;
    }
    if (mustLook || position.nextIndex() < newest.nextIndex()) {
      long index = position.nextIndex();
      look.ask(
          () -> reads.store().read(request.key(), found.id(), index), page -> turn(found, page));
      return false;
    }
    if (!toldCaughtUp) {
      toldCaughtUp = true;
      send(ReadMessages.caughtUp(position.nextIndex()));
      return true;
    }
    return false;
  }

  private void turn(FoundStream found, StreamPage page) {
    mustLook = false;
    if (page.head().state() != StreamState.DELETED
        && page.isMissing(found.position().nextIndex())) {
      if (foundHole) {
        throw new CorruptExtent(request.key().key(), found.position().nextIndex());
      }
      // The stream may have been deleted between the look at its head and that at its extents.
      foundHole = true;
      mustLook = true;
      return;
    }
    foundHole = false;
    found.queue().add(page);
  }

  /** The database is away. The reader stays, and looks again. */
  private void rest() {
    mustLook = true;
    resting = true;
    reads.after(
        RETRY,
        () -> {
          resting = false;
          steps.signal();
        });
  }

  private void send(ReadSegmentsResponse message) {
    client.onNext(message);
    sentAtNanos = System.nanoTime();
  }

  /** Sends a heartbeat if it is time, and sees to it that somebody calls when it may be again. */
  private void keepAlive() {
    Duration heartbeat = request.heartbeat();
    if (heartbeat == null || !request.follow() || done) {
      return;
    }
    Duration silence = Duration.ofNanos(System.nanoTime() - sentAtNanos);
    if (silence.compareTo(heartbeat) >= 0 && client.isReady()) {
      send(ReadMessages.heartbeat(stream == null ? 0 : stream.position().nextIndex()));
      silence = Duration.ZERO;
    }
    if (!alarmSet) {
      alarmSet = true;
      Duration left = heartbeat.minus(silence);
      alarm = reads.after(left.isNegative() ? heartbeat : left, this::ring);
    }
  }

  private void ring() {
    alarmSet = false;
    steps.signal();
  }

  private void end(ReadEnding ending) {
    release();
    client.onNext(ReadMessages.end(ending));
    client.onCompleted();
  }

  private void fail(Throwable failure) {
    release();
    client.onError(failure);
  }

  /** From here on nobody knows of this call any more. */
  private void release() {
    done = true;
    held.forEach(Registration::close);
    wait.close();
    alarm.close();
  }
}

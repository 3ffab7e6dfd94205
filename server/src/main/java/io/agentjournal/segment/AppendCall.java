package io.agentjournal.segment;

import io.agentjournal.key.Namespace;
import io.agentjournal.refusal.Refusal;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.ServerDraining;
import io.agentjournal.refusal.Refusal.StreamEnded;
import io.agentjournal.rpc.Draining;
import io.agentjournal.rpc.MalformedRequests;
import io.agentjournal.rpc.RefusalStatus;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One AppendSegments or AppendSession call. Messages come on the event loop, outcomes on a lane's
 * thread, changes by others on the watch's; all of them meet under this object's lock, under which
 * nothing blocks.
 *
 * <p>The next message is asked for as long as the bytes under way, of this call and of all, are
 * within their limits. Whatever ends the call, what was handed to the lane before is stored, and
 * the status says how far it got.
 */
final class AppendCall implements Batch.Origin {
  private final String method;
  private final Namespace namespace;
  private final Appends appends;
  private final ServerCallStreamObserver<?> observer;
  private final AppendAnswers answers;

  /** Null while the constructor runs: a server that drains ends a new call right there. */
  private Draining.@Nullable Registration drainRegistration;

  private @Nullable OpenedStream stream;
  private @Nullable AppendProgress progress;
  private @Nullable Registration headRegistration;
  private @Nullable RuntimeException ending;
  private int batchesUnderWay;
  private long bytesUnderWay;
  private boolean isWaitingForRoom;
  private boolean hasUntoldProgress;
  private boolean clientIsDone;
  private boolean isClosed;
  private volatile boolean isRefused;

  AppendCall(
      String method,
      Namespace namespace,
      Appends appends,
      ServerCallStreamObserver<?> observer,
      AppendAnswers answers) {
    this.method = method;
    this.namespace = namespace;
    this.appends = appends;
    this.observer = observer;
    this.answers = answers;
    observer.disableAutoRequest();
    observer.setOnReadyHandler(this::ready);
    observer.setOnCancelHandler(this::cancelled);
    observer.request(1);
    MalformedRequests.onMalformed(this::malformed);
    this.drainRegistration = appends.draining().onBegin(this::drain);
  }

  synchronized void message(AppendMessage message) {
    if (isClosed || ending != null) {
      return;
    }
    try {
      submit(message);
    } catch (Refusal refusal) {
      endWith(refusal);
      return;
    }
    askForMore();
  }

  /** What came before it is stored first. */
  private synchronized void malformed(Refusal refusal) {
    if (!isClosed && ending == null) {
      endWith(refusal);
    }
  }

  private void submit(AppendMessage message) {
    if (stream == null) {
      if (message.open() == null) {
        throw InvalidField.because("open", "missing in the first message");
      }
      stream = OpenedStream.of(namespace, message.open());
    } else if (message.open() != null) {
      throw InvalidField.because("open", "only in the first message");
    }
    Batch batch = appends.messages().batch(stream, message, this);
    batchesUnderWay++;
    bytesUnderWay += batch.sizeBytes();
    clientIsDone = batch.ending() != null;
    appends.memory().take(batch.sizeBytes());
    appends.lanes().submit(batch);
  }

  private void askForMore() {
    if (bytesUnderWay >= appends.limits().maxCallBytes()) {
      isWaitingForRoom = true;
    } else {
      appends.memory().request(observer);
    }
  }

  private void resume() {
    if (isWaitingForRoom && !isClosed && ending == null) {
      isWaitingForRoom = false;
      askForMore();
    }
  }

  synchronized void halfClosed() {
    clientIsDone = true;
    if (stream == null && !isClosed) {
      endWith(InvalidField.because("open", "missing: no message came"));
    }
    finishIfDone();
  }

  @Override
  public boolean isRefused() {
    return isRefused;
  }

  @Override
  public synchronized void dropped(Batch batch) {
    release(batch);
  }

  @Override
  public synchronized void flushed(Batch batch, Outcome outcome, boolean isLast) {
    release(batch);
    if (isClosed) {
      return;
    }
    if (outcome.head() != null) {
      AppendProgress before =
          progress == null ? new AppendProgress(outcome.head(), 0, 0) : progress;
      progress = before.after(outcome.head(), outcome.appended(), outcome.duplicates());
    }
    if (outcome.refusal() != null) {
      close(outcome.refusal());
      return;
    }
    watchHead();
    if (isLast) {
      tellProgress();
      finishIfDone();
      resume();
    }
  }

  private void release(Batch batch) {
    batchesUnderWay--;
    bytesUnderWay -= batch.sizeBytes();
    appends.memory().give(batch.sizeBytes());
  }

  private void watchHead() {
    if (headRegistration == null && progress != null) {
      headRegistration =
          appends.changes().onHeadChange(progress.head().streamId(), this::headChanged);
    }
  }

  /** Somebody else changed the stream: whoever lost it has to hear of it, also while idle. */
  private synchronized void headChanged(Head head) {
    if (isClosed || stream == null || progress == null) {
      return;
    }
    try {
      Head unused = WriterFence.admit(stream.key(), head, stream.writer());
    } catch (Refusal refusal) {
      progress = progress.seen(head);
      close(refusal);
      return;
    }
    boolean wasOpen = progress.head().state() == StreamState.OPEN;
    boolean hadAbort = progress.head().abortRequested();
    progress = progress.seen(head);
    if (wasOpen && !clientIsDone && head.isVoid()) {
      close(
          new StreamEnded(
              stream.key().key(), head.state().name(), head.nextIndex(), head.finishReason()));
    } else if (head.abortRequested() && !hadAbort) {
      tellProgress();
    }
  }

  private void tellProgress() {
    if (progress == null) {
      return;
    }
    hasUntoldProgress = !observer.isReady();
    if (!hasUntoldProgress) {
      answers.progress(progress);
    }
  }

  /** The client reads again: one acknowledgement covers all that it missed. */
  private synchronized void ready() {
    if (hasUntoldProgress && !isClosed) {
      tellProgress();
    }
  }

  private void finishIfDone() {
    if (isClosed || batchesUnderWay > 0) {
      return;
    }
    if (ending != null) {
      close(ending);
    } else if (clientIsDone && progress != null) {
      if (hasUntoldProgress) {
        answers.progress(progress);
      }
      answers.complete(progress);
      end();
    }
  }

  /** Ends the call once what came before is stored. */
  private void endWith(RuntimeException failure) {
    ending = failure;
    finishIfDone();
  }

  private synchronized void drain() {
    if (!isClosed && ending == null) {
      endWith(new ServerDraining());
    }
  }

  private void close(RuntimeException failure) {
    isRefused = true;
    Map<String, String> howFar =
        progress == null
            ? Map.of()
            : Map.of("next_index", Long.toString(progress.head().nextIndex()));
    answers.fail(RefusalStatus.of(method, failure, howFar));
    end();
  }

  private synchronized void cancelled() {
    end();
  }

  private void end() {
    isClosed = true;
    if (drainRegistration != null) {
      drainRegistration.close();
    }
    if (headRegistration != null) {
      headRegistration.close();
    }
  }
}

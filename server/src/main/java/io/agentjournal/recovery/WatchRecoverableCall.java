package io.agentjournal.recovery;

import io.agentjournal.key.Namespace;
import io.agentjournal.refusal.Refusal.Overloaded;
import io.agentjournal.refusal.Refusal.ServerDraining;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.rpc.Draining;
import io.agentjournal.rpc.Steps;
import io.agentjournal.v1.WatchRecoverableResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One WatchRecoverable call. Steps run on the blocking pool, one at a time; between them the call
 * holds neither thread nor connection. A step tells, while the client is ready, first what was
 * recoverable when the call came, page by page, then what the watch found since; each attempt that
 * can be taken over is told once.
 */
final class WatchRecoverableCall {
  private static final int PAGE = 100;

  /**
   * More than a client that reads could leave. One that does not is cut off, and may call again.
   */
  private static final int MAX_WAITING = 100_000;

  private final Namespace namespace;
  private final List<String> queues;
  private final ServerCallStreamObserver<WatchRecoverableResponse> client;
  private final OverdueStore store;
  private final RecoverableWatch watch;
  private final Draining draining;
  private final Steps steps;
  private final RecoverableWatch.Watcher watcher = this::found;
  private final Queue<Overdue> sighted = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();

  // --- Only steps use what follows.

  private final ToldAttempts told = new ToldAttempts();
  private final Deque<Overdue> page = new ArrayDeque<>();
  private OverdueRows.@Nullable Position read;
  private boolean readAll;
  private boolean done;
  private Draining.@Nullable Registration registration;

  WatchRecoverableCall(
      Namespace namespace,
      List<String> queues,
      ServerCallStreamObserver<WatchRecoverableResponse> client,
      BlockingPool pool,
      OverdueStore store,
      RecoverableWatch watch,
      Draining draining) {
    this.namespace = namespace;
    this.queues = queues;
    this.client = client;
    this.store = store;
    this.watch = watch;
    this.draining = draining;
    this.steps = new Steps(pool::execute, this::step);
  }

  /** To be called once, by the service's method. */
  void start() {
    client.setOnReadyHandler(steps::signal);
    client.setOnCancelHandler(steps::signal);
    steps.signal();
  }

  private void found(List<Overdue> overdue) {
    for (Overdue each : overdue) {
      if (each.submission().namespace().equals(namespace)
          && (queues.isEmpty() || queues.contains(each.queue()))) {
        sighted.add(each);
        waiting.incrementAndGet();
      }
    }
    if (waiting.get() > 0) {
      steps.signal();
    }
  }

  private void step() {
    if (done) {
      return;
    }
    try {
      register();
      if (client.isCancelled()) {
        release();
      } else if (draining.begun()) {
        throw new ServerDraining();
      } else if (waiting.get() > MAX_WAITING) {
        throw new Overloaded("untold_submissions");
      } else {
        tellWhileReady();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  /**
   * Watches first and reads the list then: what becomes recoverable in between is in one of them,
   * or both.
   */
  private void register() {
    if (registration == null) {
      registration = draining.onBegin(steps::signal);
      watch.add(watcher);
    }
  }

  private void tellWhileReady() {
    while (client.isReady() && !client.isCancelled()) {
      Overdue next = next();
      if (next == null) {
        return;
      }
      if (told.add(next)) {
        store.recoverable(next).ifPresent(this::tell);
      }
    }
  }

  private void tell(Recoverable recoverable) {
    client.onNext(
        WatchRecoverableResponse.newBuilder()
            .setRecoverable(RecoveryMessages.recoverable(recoverable))
            .build());
  }

  private @Nullable Overdue next() {
    if (page.isEmpty() && !readAll) {
      List<Overdue> more = store.list(namespace, queues, read, PAGE);
      page.addAll(more);
      readAll = more.size() < PAGE;
      read = more.isEmpty() ? read : OverdueRows.Position.of(more.get(more.size() - 1));
    }
    Overdue first = page.poll();
    if (first != null) {
      return first;
    }
    Overdue next = sighted.poll();
    if (next != null) {
      waiting.decrementAndGet();
    }
    return next;
  }

  private void fail(Throwable failure) {
    release();
    client.onError(failure);
  }

  /** From here on nobody knows of this call any more. */
  private void release() {
    done = true;
    watch.remove(watcher);
    if (registration != null) {
      registration.close();
    }
  }
}

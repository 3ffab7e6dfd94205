package io.agentjournal.client;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a journal in one namespace. Thread-safe and meant to be shared: one for a process
 * and namespace is enough for thousands of writers. Close writers and readers first; what is still
 * open when the client closes fails.
 */
public final class JournalClient implements AutoCloseable {
  private static final Duration SHUTDOWN = Duration.ofSeconds(5);
  private static final AtomicLong CLIENTS = new AtomicLong();

  private final @Nullable ManagedChannel connections;
  private final ScheduledExecutorService timer;
  private final ExecutorService threads;
  private final JournalTransport transport;

  JournalClient(Channel calls, @Nullable ManagedChannel connections, RetryTimes retry) {
    this.connections = connections;
    String name = "agentjournal-client-" + CLIENTS.incrementAndGet();
    // What comes late, after close(), is dropped: by then everybody has been told.
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, daemons(name + "-timer"), new ThreadPoolExecutor.DiscardPolicy());
    this.threads =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            daemons(name),
            new ThreadPoolExecutor.DiscardPolicy());
    this.transport = new JournalTransport(calls, connections, timer, threads, retry);
  }

  /**
   * {@code target} as gRPC resolves it, for example {@code localhost:7400} or {@code
   * dns:///journal:7400}.
   */
  public static JournalClientBuilder to(String target) {
    return new JournalClientBuilder(target);
  }

  /**
   * The channel that the stubs of {@code io.agentjournal.v1} take: with namespace and credential.
   */
  public Channel channel() {
    return transport.calls();
  }

  public SegmentWriterBuilder writer(String streamKey) {
    return new SegmentWriterBuilder(transport, streamKey);
  }

  public SegmentReaderBuilder reader(String streamKey) {
    return new SegmentReaderBuilder(transport, streamKey);
  }

  /**
   * Keeps leases of the given length, 1 s to 1 h. Close it when it is not needed any more.
   *
   * @param lease as it was asked for in the claims
   */
  public LeaseKeeper leaseKeeper(Duration lease, LeaseListener listener) {
    return new LeaseKeeper(transport, lease, listener);
  }

  /**
   * Claims submissions and has each done by the handler.
   *
   * @param owner a stable name of the process or pod, shown to people
   */
  public JournalWorkerBuilder worker(String owner, SubmissionHandler handler) {
    return new JournalWorkerBuilder(transport, owner, handler);
  }

  /**
   * Makes a call on a blocking stub, and again over a journal that is away, with growing pauses:
   * every call of the journal may be repeated as it is. A refusal is never repeated. Blocks. Give
   * the call a deadline, or {@link JournalClientBuilder#deadline} does.
   *
   * @param call for example {@code () -> turns.beginTurnJournal(request)}; it is to send the same
   *     request each time
   * @throws JournalException it was refused, there was no answer for as long as the client was told
   *     to try, or the thread was interrupted
   */
  public <T> T repeat(Supplier<T> call) {
    return new RepeatedCall(transport).answer(call);
  }

  /** A run of the run journal, to be opened: new, or for its next life. */
  public RunMemoBuilder run(String runId) {
    return new RunMemoBuilder(transport, runId);
  }

  /**
   * For who appends many events to a run and does not wait for each; {@link RunMemo#writer} does it
   * under the memo's claim.
   */
  public RunEventWriterBuilder eventWriter(String runId) {
    return new RunEventWriterBuilder(transport, runId);
  }

  /**
   * Claims the oldest run that is running without a live lease; empty: there is none. Blocks. Of
   * any number of processes that ask at one time each run goes to one.
   *
   * @param owner a name of the process or pod, for people
   * @param lease 1 s to 1 h
   */
  public Optional<RunMemo> interruptedRun(String owner, Duration lease) {
    return RunMemoBuilder.oldest(transport, new RunClaim(owner, lease));
  }

  /** Blocks for up to 5 s while calls end. */
  @Override
  public void close() {
    transport.close();
    if (connections != null) {
      connections.shutdownNow();
      try {
        connections.awaitTermination(SHUTDOWN.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    timer.shutdownNow();
    threads.shutdown();
  }

  private static ThreadFactory daemons(String name) {
    AtomicLong count = new AtomicLong();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}

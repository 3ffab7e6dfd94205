package io.agentjournal.client;

import io.agentjournal.v1.AppendMode;
import io.agentjournal.v1.EventsOpen;
import java.time.Duration;

/**
 * To which run a {@link RunEventWriter} appends, and by what right. What was sent and not
 * acknowledged is sent again after a cut, so the writer has only the modes in which that is a
 * repeat; whoever wants to replace payloads uses the call itself.
 */
public final class RunEventWriterBuilder {
  private final JournalTransport transport;
  private final EventsOpen.Builder open =
      EventsOpen.newBuilder().setMode(AppendMode.APPEND_MODE_REFUSE_OTHER);
  private int windowBytes = 4 << 20;
  private Duration ackTimeout = Duration.ofSeconds(10);
  private RunEventListener listener = new RunEventListener() {};

  RunEventWriterBuilder(JournalTransport transport, String runId) {
    this.transport = transport;
    open.setRunId(runId);
  }

  /** Of the claim under which this process has the run; needed while the run has one. */
  public RunEventWriterBuilder claimId(String claimId) {
    open.setClaimId(claimId);
    return this;
  }

  /**
   * What is recorded stays, and is told to the listener. Without it, something else in the same
   * place is EVENT_CONFLICT, which ends the writer.
   */
  public RunEventWriterBuilder keepFirst() {
    open.setMode(AppendMode.APPEND_MODE_KEEP_FIRST);
    return this;
  }

  /**
   * So much may be appended and not yet durable, before {@code append} blocks; 4 MiB. A larger
   * event waits until it is alone.
   */
  public RunEventWriterBuilder windowBytes(int windowBytes) {
    if (windowBytes < 1) {
      throw new IllegalArgumentException("windowBytes is " + windowBytes);
    }
    this.windowBytes = windowBytes;
    return this;
  }

  /** When nothing was acknowledged for so long, the connection counts as dead; 10 s. */
  public RunEventWriterBuilder ackTimeout(Duration ackTimeout) {
    if (ackTimeout.isNegative() || ackTimeout.isZero()) {
      throw new IllegalArgumentException("ackTimeout is " + ackTimeout);
    }
    this.ackTimeout = ackTimeout;
    return this;
  }

  public RunEventWriterBuilder listener(RunEventListener listener) {
    this.listener = listener;
    return this;
  }

  /** Does not block: whether the writer may write is found out with its first event. */
  public RunEventWriter open() {
    Outbox<OutgoingEvent> outbox = new Outbox<>(windowBytes);
    EventConnection connection =
        new EventConnection(transport, open.build(), outbox, listener, ackTimeout);
    connection.start();
    return new RunEventWriter(outbox, connection, ackTimeout);
  }
}

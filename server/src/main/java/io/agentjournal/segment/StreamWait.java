package io.agentjournal.segment;

import io.agentjournal.rpc.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A reader's wait for a stream that does not exist yet: until somebody creates it, or shortly
 * before the call's deadline. Made on the call's own thread; begun and closed by one step at a
 * time, told by any thread.
 */
final class StreamWait {
  private final ReadRequest request;
  private final SegmentReads reads;
  private final Runnable signal;

  /** How long it may take; null: the call has no deadline. */
  private final @Nullable Duration patience = Patience.untilDeadline();

  private final AtomicReference<@Nullable Head> appeared = new AtomicReference<>();
  private final List<Registration> held = new ArrayList<>();
  private volatile boolean isOver;

  StreamWait(ReadRequest request, SegmentReads reads, Runnable signal) {
    this.request = request;
    this.reads = reads;
    this.signal = signal;
  }

  /**
   * Registers first and looks then: who created the stream between the look before and the
   * registration told nobody here.
   */
  void begin(TableLook look) {
    if (patience != null) {
      held.add(reads.after(patience, this::end));
    }
    held.add(reads.changes().awaitStream(request.key(), this::appear));
    look.ask(() -> reads.store().find(request.key()), head -> head.ifPresent(this::appear));
  }

  private void appear(Head head) {
    appeared.set(head);
    signal.run();
  }

  private void end() {
    isOver = true;
    signal.run();
  }

  /** The head of the stream, once; null: it has not appeared since. */
  @Nullable Head take() {
    return appeared.getAndSet(null);
  }

  /** In vain: there is no more time. */
  boolean isOver() {
    return isOver;
  }

  /** From here on nobody tells it anything. */
  void close() {
    held.forEach(Registration::close);
    held.clear();
  }
}

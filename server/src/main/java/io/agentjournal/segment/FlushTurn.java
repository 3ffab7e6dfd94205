package io.agentjournal.segment;

import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;

/**
 * A lane's right to collect flushes and to carry out their statements, of which few have it at a
 * time: while one works, what arrives makes the next flush larger, which costs less for each
 * segment. Used by one thread.
 *
 * <p>It is given back before a commit, so that one flush waits for the disk while the next one
 * works, if commits are slow or if enough waits already. Else the lane keeps it: a flush of little
 * costs nearly as much as one of much, and two at a time would only slow each other down.
 */
final class FlushTurn {
  /**
   * Streams that are worth a flush at once. One costs half a millisecond however few they are, and
   * a fiftieth of that more for each.
   */
  static final int WORTH_A_FLUSH = 16;

  private final Semaphore turns;
  private final LaneQueue waiting;
  private final CommitPace pace;
  private final LongSupplier clock;
  private boolean mine;
  private long writtenAtNanos;

  /**
   * Not yet this lane's turn.
   *
   * @param clock nanoseconds
   */
  FlushTurn(Semaphore turns, LaneQueue waiting, CommitPace pace, LongSupplier clock) {
    this.turns = turns;
    this.waiting = waiting;
    this.pace = pace;
    this.clock = clock;
  }

  /** Blocks until it is this lane's turn, unless it is already. */
  void begin() {
    if (!mine) {
      turns.acquireUninterruptibly();
      mine = true;
    }
  }

  /** All statements are carried out, and the commit comes next. */
  void written() {
    if (pace.isSlow() || waiting.readyStreams() >= WORTH_A_FLUSH) {
      end();
    }
    writtenAtNanos = clock.getAsLong();
  }

  void committed() {
    pace.took(clock.getAsLong() - writtenAtNanos);
  }

  /** Gives it back, if it is not given back already: a transaction that is run again has none. */
  void end() {
    if (mine) {
      mine = false;
      turns.release();
    }
  }
}

package io.agentjournal.segment;

import java.util.concurrent.Semaphore;

/**
 * The right to collect a flush and to carry out its statements, of which few have it at a time:
 * while one works, what arrives makes the next flush larger, which costs less for each segment. It
 * is given back before the commit, so that one flush waits for the disk while the next one works.
 * Used by one thread.
 */
final class FlushTurn {
  private final Semaphore turns;
  private boolean ended;

  /** Blocks until it is this flush's turn. */
  FlushTurn(Semaphore turns) {
    this.turns = turns;
    turns.acquireUninterruptibly();
  }

  /** The first time counts: a transaction that is run again has no turn to end. */
  void end() {
    if (!ended) {
      ended = true;
      turns.release();
    }
  }
}

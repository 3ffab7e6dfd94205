package io.agentjournal.client;

import java.time.Duration;

/**
 * Notices that an answer is overdue: of a connection that is dead without a word nothing else would
 * be heard. One timer at most, however many messages are sent. Used only by tasks of its executor.
 */
final class AckWatch {
  private final JournalTransport transport;
  private final SerialExecutor serial;
  private final Duration timeout;
  private final Runnable overdue;

  private boolean waiting;
  private long waitingSince;
  private boolean timerSet;

  AckWatch(JournalTransport transport, SerialExecutor serial, Duration timeout, Runnable overdue) {
    this.transport = transport;
    this.serial = serial;
    this.timeout = timeout;
    this.overdue = overdue;
  }

  /** An answer is due from now on, or from when this was said first. */
  void waits() {
    if (!waiting) {
      waiting = true;
      waitingSince = System.nanoTime();
      if (!timerSet) {
        setTimer(timeout);
      }
    }
  }

  /** The answer came, or nobody waits for it any more. */
  void answered() {
    waiting = false;
  }

  private void setTimer(Duration delay) {
    timerSet = true;
    transport.schedule(delay, serial, this::look);
  }

  private void look() {
    timerSet = false;
    if (waiting) {
      Duration left = timeout.minusNanos(System.nanoTime() - waitingSince);
      if (left.isNegative() || left.isZero()) {
        waiting = false;
        overdue.run();
      } else {
        setTimer(left);
      }
    }
  }
}

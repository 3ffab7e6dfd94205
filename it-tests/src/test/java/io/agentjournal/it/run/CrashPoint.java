package io.agentjournal.it.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Where an agent says how far it is, on standard output, and stops at the place that it was told
 * of, until a file appears. Who wants to kill it there does so. Thread-safe.
 */
final class CrashPoint {
  static final String REACHED = "at ";
  static final String STOPPED = "stopped at ";

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final String stopAt;
  private final Path goOn;

  CrashPoint(String stopAt, Path goOn) {
    this.stopAt = stopAt;
    this.goOn = goOn;
  }

  void reach(String place) {
    boolean stops = place.equals(stopAt) && !Files.exists(goOn);
    tell((stops ? STOPPED : REACHED) + place);
    while (stops && !Files.exists(goOn)) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  static synchronized void tell(String line) {
    System.out.println(line);
    System.out.flush();
  }
}

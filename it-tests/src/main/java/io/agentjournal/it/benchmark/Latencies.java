package io.agentjournal.it.benchmark;

import java.util.Arrays;

/** How long each of many took. Used by one thread at a time. */
final class Latencies {
  private static final double NANOS_PER_MILLI = 1e6;

  private long[] nanos = new long[1 << 12];
  private int count;

  void add(long took) {
    if (count == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * count);
    }
    nanos[count++] = Math.max(0, took);
  }

  void addAll(Latencies others) {
    for (int i = 0; i < others.count; i++) {
      add(others.nanos[i]);
    }
  }

  /**
   * Milliseconds that this share of them did not exceed.
   *
   * @param share 1: the longest
   */
  double millis(double share) {
    if (count == 0) {
      throw new IllegalStateException("nothing was timed");
    }
    long[] sorted = Arrays.copyOf(nanos, count);
    Arrays.sort(sorted);
    int rank = (int) Math.ceil(share * count);
    return sorted[Math.max(0, rank - 1)] / NANOS_PER_MILLI;
  }
}

package io.agentjournal.client;

import java.time.Duration;

/**
 * @param longestPause between two attempts to reach the journal
 * @param giveUpAfter without any progress: then the failure is told
 */
record RetryTimes(Duration longestPause, Duration giveUpAfter) {
  static final RetryTimes DEFAULT = new RetryTimes(Duration.ofSeconds(2), Duration.ofMinutes(5));

  RetryTimes {
    if (longestPause.isNegative() || longestPause.isZero()) {
      throw new IllegalArgumentException("the longest pause must be longer than nothing");
    }
    if (giveUpAfter.isNegative()) {
      throw new IllegalArgumentException("cannot give up before the start");
    }
  }
}

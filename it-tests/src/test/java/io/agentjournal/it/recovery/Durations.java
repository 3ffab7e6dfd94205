package io.agentjournal.it.recovery;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import java.util.concurrent.TimeUnit;

/** Times of messages, as this test reckons with them. */
final class Durations {
  private Durations() {}

  static Duration ofSeconds(long seconds) {
    return Duration.newBuilder().setSeconds(seconds).build();
  }

  static Duration ofMillis(long millis) {
    return Duration.newBuilder()
        .setSeconds(millis / 1_000)
        .setNanos((int) TimeUnit.MILLISECONDS.toNanos(millis % 1_000))
        .build();
  }

  static long millisBetween(Timestamp start, Timestamp end) {
    return TimeUnit.SECONDS.toMillis(end.getSeconds() - start.getSeconds())
        + TimeUnit.NANOSECONDS.toMillis(end.getNanos() - start.getNanos());
  }
}

package io.agentjournal.rpc;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import io.agentjournal.refusal.Refusal.InvalidField;
import java.time.Instant;

/** Times and durations to and from messages. */
public final class Times {
  /** What protobuf calls valid: about 10,000 years. */
  private static final long MAX_SECONDS = 315_576_000_000L;

  private Times() {}

  public static Timestamp message(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }

  /** A negative one has negative nanos too, as protobuf wants it. */
  public static Duration message(java.time.Duration duration) {
    long seconds = duration.getSeconds();
    int nanos = duration.getNano();
    if (seconds < 0 && nanos > 0) {
      seconds++;
      nanos -= 1_000_000_000;
    }
    return Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  /**
   * A caller's duration.
   *
   * @throws InvalidField it is none
   */
  public static java.time.Duration duration(String field, Duration message) {
    long seconds = message.getSeconds();
    int nanos = message.getNanos();
    boolean signsDiffer = (seconds > 0 && nanos < 0) || (seconds < 0 && nanos > 0);
    if (Math.abs(nanos) >= 1_000_000_000
        || seconds > MAX_SECONDS
        || seconds < -MAX_SECONDS
        || signsDiffer) {
      throw InvalidField.ofValue(field, seconds + " s and " + nanos + " ns", "not a duration");
    }
    return java.time.Duration.ofSeconds(seconds, nanos);
  }
}

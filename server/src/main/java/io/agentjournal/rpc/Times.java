package io.agentjournal.rpc;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import io.agentjournal.refusal.Refusal.InvalidField;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times and durations to and from messages. */
public final class Times {
  /** What protobuf calls valid: about 10,000 years. */
  private static final long MAX_SECONDS = 315_576_000_000L;

  /** What protobuf calls valid: from the year 1 to the end of 9999. */
  private static final long FIRST_SECOND = -62_135_596_800L;

  private static final long LAST_SECOND = 253_402_300_799L;

  private Times() {}

  public static Timestamp message(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }

  /**
   * A caller's point in time, as PostgreSQL keeps it: in microseconds.
   *
   * @throws InvalidField it is none
   */
  public static Instant instant(String field, Timestamp message) {
    long seconds = message.getSeconds();
    int nanos = message.getNanos();
    if (seconds < FIRST_SECOND || seconds > LAST_SECOND || nanos < 0 || nanos >= 1_000_000_000) {
      throw InvalidField.ofValue(field, seconds + " s and " + nanos + " ns", "not a timestamp");
    }
    return Instant.ofEpochSecond(seconds, nanos).truncatedTo(ChronoUnit.MICROS);
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

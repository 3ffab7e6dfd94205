package io.agentjournal.submission;

import io.agentjournal.key.Identifier;
import io.agentjournal.refusal.Refusal.InvalidField;
import java.time.Duration;

/** A lease as asked for. */
public record LeaseGrant(String owner, Duration duration) {
  public static final Duration DEFAULT_DURATION = Duration.ofSeconds(30);
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofHours(1);

  public LeaseGrant {
    Identifier.check("lease.owner", owner);
    checkDuration("lease.duration", duration);
  }

  static void checkDuration(String field, Duration duration) {
    if (duration.compareTo(SHORTEST) < 0 || duration.compareTo(LONGEST) > 0) {
      throw InvalidField.ofValue(field, duration.toString(), "not from 1 s to 1 h");
    }
  }
}

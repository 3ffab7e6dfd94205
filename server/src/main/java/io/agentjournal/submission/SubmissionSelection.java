package io.agentjournal.submission;

import io.agentjournal.key.Namespace;
import io.agentjournal.refusal.Refusal.InvalidField;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which submissions are to be listed.
 *
 * @param queue null: any, as for the next two
 * @param stillFor for STUCK
 */
record SubmissionSelection(
    Namespace namespace,
    Filter filter,
    @Nullable String queue,
    @Nullable String sessionKey,
    @Nullable String owner,
    Duration stillFor) {

  /** SubmissionFilter of submission.proto, without its prefix. */
  enum Filter {
    ALL,
    RUNNABLE,
    RUNNING,
    EXPIRED,
    STUCK,
    UNSETTLED
  }

  static final Duration DEFAULT_STILL_FOR = Duration.ofMinutes(5);

  SubmissionSelection {
    if (stillFor.isNegative() || stillFor.compareTo(LONGEST_STILL) > 0) {
      throw InvalidField.ofValue("still_for", stillFor.toString(), "not from 0 to 365 days");
    }
  }

  private static final Duration LONGEST_STILL = Duration.ofDays(365);

  /** The list's name, for its pages' tokens. */
  String listName() {
    return "submissions "
        + String.join("\n", filter.name(), queue, sessionKey, owner, stillFor.toString());
  }
}

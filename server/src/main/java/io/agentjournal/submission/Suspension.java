package io.agentjournal.submission;

import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.TooLarge;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a submission is to wait for.
 *
 * @param delay it goes on after so long, answers or not; null: it waits for the answers
 */
record Suspension(List<NewWait> waits, @Nullable Duration delay) {
  private static final int MAX_WAITS = 100;

  Suspension {
    waits = List.copyOf(waits);
    if (waits.size() > MAX_WAITS) {
      throw new TooLarge("waits", waits.size(), MAX_WAITS);
    }
    if (waits.isEmpty() && delay == null) {
      throw InvalidField.because("waits", "none, and no delay");
    }
    if (delay != null) {
      NewSubmission.checkDelay(delay);
    }
    Set<String> ids = new HashSet<>();
    for (NewWait wait : waits) {
      if (!ids.add(wait.waitId())) {
        throw InvalidField.ofValue("wait_id", wait.waitId(), "twice in one request");
      }
    }
  }
}

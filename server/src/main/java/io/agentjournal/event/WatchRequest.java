package io.agentjournal.event;

import io.agentjournal.refusal.Refusal.InvalidField;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a watcher asks for.
 *
 * @param cursor null: from the start
 * @param heartbeat null: none
 */
record WatchRequest(
    WatchTarget target,
    @Nullable WatchCursor cursor,
    boolean withSegments,
    @Nullable Duration heartbeat) {
  private static final Duration LEAST_HEARTBEAT = Duration.ofSeconds(1);
  private static final Duration MOST_HEARTBEAT = Duration.ofHours(1);

  WatchRequest {
    if (heartbeat != null && heartbeat.compareTo(LEAST_HEARTBEAT) < 0) {
      throw InvalidField.ofValue("heartbeat", heartbeat.toString(), "less than 1 s");
    }
    if (heartbeat != null && heartbeat.compareTo(MOST_HEARTBEAT) > 0) {
      throw InvalidField.ofValue("heartbeat", heartbeat.toString(), "more than 1 h");
    }
  }
}

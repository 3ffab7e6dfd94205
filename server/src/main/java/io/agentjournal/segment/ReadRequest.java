package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.InvalidField;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a reader asks for.
 *
 * @param startIndex null: as {@code last} says
 * @param last so many of what is stored when the call arrives; null besides no start index: all
 * @param limit null: none
 * @param heartbeat null: none
 */
record ReadRequest(
    StreamKey key,
    @Nullable Long startIndex,
    @Nullable Long last,
    @Nullable Long limit,
    boolean follow,
    boolean waitForStream,
    @Nullable Duration heartbeat) {
  private static final Duration LEAST_HEARTBEAT = Duration.ofSeconds(1);
  private static final Duration MOST_HEARTBEAT = Duration.ofHours(1);

  ReadRequest {
    require("start_index", startIndex, 0);
    require("last", last, 0);
    require("limit", limit, 1);
    if (heartbeat != null && heartbeat.compareTo(LEAST_HEARTBEAT) < 0) {
      throw InvalidField.ofValue("heartbeat", heartbeat.toString(), "less than 1 s");
    }
    if (heartbeat != null && heartbeat.compareTo(MOST_HEARTBEAT) > 0) {
      throw InvalidField.ofValue("heartbeat", heartbeat.toString(), "more than 1 h");
    }
  }

  /**
   * The same of a stream that was not there when the call arrived: the last of nothing is nothing.
   */
  ReadRequest beforeStream() {
    return new ReadRequest(key, startIndex, null, limit, follow, waitForStream, heartbeat);
  }

  private static void require(String field, @Nullable Long value, long least) {
    if (value != null && value < least) {
      throw InvalidField.ofValue(field, value.toString(), "less than " + least);
    }
  }
}

package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The ids of the streams that a lane met last. An id never changes, so nothing has to be
 * invalidated.
 */
final class StreamIds extends LinkedHashMap<StreamKey, Long> {
  private static final long serialVersionUID = 1L;
  private static final int MOST = 20_000;

  StreamIds() {
    super(256, 0.75f, true);
  }

  @Override
  protected boolean removeEldestEntry(Map.Entry<StreamKey, Long> eldest) {
    return size() > MOST;
  }
}

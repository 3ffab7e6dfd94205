package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The ids of the streams that were written last. An id never changes, so nothing has to be
 * invalidated. Thread-safe.
 */
final class StreamIds {
  private static final int MOST = 40_000;

  private final Map<StreamKey, Long> ids = new LastUsed();

  synchronized @Nullable Long get(StreamKey stream) {
    return ids.get(stream);
  }

  synchronized void put(StreamKey stream, long id) {
    ids.put(stream, id);
  }

  private static final class LastUsed extends LinkedHashMap<StreamKey, Long> {
    private static final long serialVersionUID = 1L;

    LastUsed() {
      super(256, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<StreamKey, Long> eldest) {
      return size() > MOST;
    }
  }
}

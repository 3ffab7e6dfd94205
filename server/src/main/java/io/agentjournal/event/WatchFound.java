package io.agentjournal.event;

import io.agentjournal.segment.StreamStretch;
import io.agentjournal.segment.StretchRows;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a look found behind a watch's position. */
sealed interface WatchFound {
  /**
   * More of the submission.
   *
   * @param stretch of the position's stream, looked at before the events: those that come later
   *     stand behind it; null: the position has no stream
   * @param events the next ones
   * @param isCut there are more events
   * @param isSettled nothing happens to the submission any more, but for what is cut
   */
  record More(
      @Nullable StreamStretch stretch, List<StoredEvent> events, boolean isCut, boolean isSettled)
      implements WatchFound {
    public More {
      events = List.copyOf(events);
    }

    /** The stream should have the place's segment, and it is not at hand. */
    boolean lacksSegmentOf(StretchRows.Place place) {
      return stretch != null
          && stretch.key().equals(place.key())
          && stretch.head().nextIndex() > place.nextIndex();
    }

    /** The stream went on, and no event came. */
    static More of(StreamStretch stretch) {
      return new More(stretch, List.of(), false, false);
    }
  }

  /** The session goes on elsewhere. */
  record Elsewhere(WatchPosition position) implements WatchFound {}

  /** The session has nothing more, as yet. */
  record Nothing() implements WatchFound {}

  /** What is watched was deleted. */
  record Gone() implements WatchFound {}
}

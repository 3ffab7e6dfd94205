package io.agentjournal.event;

import io.agentjournal.key.SubmissionId;
import io.agentjournal.segment.StreamStretch;

/** One thing that a watch tells of a submission, and where it then stands. */
sealed interface WatchItem {
  SubmissionId submission();

  WatchPosition after();

  record OfEvent(SubmissionId submission, StoredEvent event, WatchPosition after)
      implements WatchItem {}

  /** Segments {@code [from, to)} of a stretch, all of which are at hand. */
  record OfSegments(
      SubmissionId submission, StreamStretch stretch, long from, long to, WatchPosition after)
      implements WatchItem {}

  record OfStreamEnd(SubmissionId submission, StreamStretch stretch, WatchPosition after)
      implements WatchItem {}
}

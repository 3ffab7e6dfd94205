package io.agentjournal.event;

import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.segment.StretchRows;
import org.jspecify.annotations.Nullable;

/**
 * How far a watch has told.
 *
 * @param born when the target was made, in microseconds: one that is made later under its name is
 *     another
 * @param sequence the submission's place in its session
 * @param submission the one whose events are told; null: all of those up to the sequence were told
 * @param eventNumber of the last event that was told; 0: none was
 * @param stream the one that is told of between the events, and its next segment; null: none
 */
record WatchPosition(
    long born,
    long sequence,
    @Nullable Watched submission,
    long eventNumber,
    StretchRows.@Nullable Place stream) {

  /** A submission, and when it was admitted, in microseconds. */
  record Watched(SubmissionId id, long admittedMicros) {}

  static WatchPosition before(long born, long sequence, Watched submission) {
    return new WatchPosition(born, sequence, submission, 0, null);
  }

  static WatchPosition behind(long born, long sequence) {
    return new WatchPosition(born, sequence, null, 0, null);
  }

  Watched requireSubmission() {
    if (submission == null) {
      throw new IllegalStateException("behind all submissions: " + this);
    }
    return submission;
  }

  WatchPosition behindSubmission() {
    return behind(born, sequence);
  }

  WatchPosition after(StoredEvent event) {
    StreamKey opened = event.opened();
    return new WatchPosition(
        born,
        sequence,
        submission,
        event.number(),
        opened == null ? stream : new StretchRows.Place(opened, 0));
  }

  WatchPosition at(StretchRows.@Nullable Place place) {
    return new WatchPosition(born, sequence, submission, eventNumber, place);
  }
}

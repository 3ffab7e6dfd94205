package io.agentjournal.it.model;

import io.agentjournal.v1.Failure;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.Stream;
import io.agentjournal.v1.StreamState;
import java.util.ArrayList;
import java.util.List;

/** A stream, of a turn or of none. */
final class ModelStream extends ModelState {
  /** Empty: it stands alone. */
  final String submissionId;

  Stream told;
  boolean abortRequested;
  final List<Segment> segments;

  ModelStream(String submissionId, Stream opened, boolean abortRequested) {
    this.submissionId = submissionId;
    this.told = opened;
    this.abortRequested = abortRequested;
    this.segments = new ArrayList<>();
  }

  ModelStream copy() {
    ModelStream copy = new ModelStream(submissionId, told, abortRequested);
    copy.segments.addAll(segments);
    return copy;
  }

  @Override
  List<Object> facts() {
    return List.of(submissionId, told, abortRequested, segments);
  }

  boolean isBound() {
    return !submissionId.isEmpty();
  }

  boolean isOpen() {
    return told.getState() == StreamState.STREAM_STATE_OPEN;
  }

  boolean isDeleted() {
    return told.getState() == StreamState.STREAM_STATE_DELETED;
  }

  long nextIndex() {
    return segments.size();
  }

  void append(Segment segment) {
    segments.add(segment);
    long bytes = segment.hasText() ? segment.getText().length() : segment.getData().size();
    told =
        told.toBuilder()
            .setNextIndex(nextIndex())
            .setSizeBytes(told.getSizeBytes() + bytes)
            .setLastSegmentAt(Told.TIME)
            .build();
  }

  void end(StreamState state, String finishReason) {
    told =
        told.toBuilder()
            .setState(state)
            .setFinishReason(finishReason)
            .setEndedAt(Told.TIME)
            .build();
  }

  /** How much there was stays known. */
  void delete() {
    told =
        told.toBuilder().setState(StreamState.STREAM_STATE_DELETED).setEndedAt(Told.TIME).build();
  }

  void fail(Failure failure) {
    end(StreamState.STREAM_STATE_FAILED, "");
    told = told.toBuilder().setFailure(failure).build();
  }
}

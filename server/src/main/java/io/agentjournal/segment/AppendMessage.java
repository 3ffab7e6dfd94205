package io.agentjournal.segment;

import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the three append calls have in common: they carry the same message under three names. */
record AppendMessage(
    @Nullable StreamOpen open,
    @Nullable Long firstIndex,
    List<Segment> segments,
    @Nullable StreamEnd end,
    int sizeBytes) {

  static AppendMessage of(AppendSegmentsRequest request) {
    return new AppendMessage(
        request.hasOpen() ? request.getOpen() : null,
        request.hasFirstIndex() ? request.getFirstIndex() : null,
        request.getSegmentsList(),
        request.hasEnd() ? request.getEnd() : null,
        request.getSerializedSize());
  }

  static AppendMessage of(AppendSessionRequest request) {
    return new AppendMessage(
        request.hasOpen() ? request.getOpen() : null,
        request.hasFirstIndex() ? request.getFirstIndex() : null,
        request.getSegmentsList(),
        request.hasEnd() ? request.getEnd() : null,
        request.getSerializedSize());
  }

  static AppendMessage of(PutSegmentsRequest request) {
    return new AppendMessage(
        request.hasOpen() ? request.getOpen() : null,
        request.hasFirstIndex() ? request.getFirstIndex() : null,
        request.getSegmentsList(),
        request.hasEnd() ? request.getEnd() : null,
        request.getSerializedSize());
  }
}

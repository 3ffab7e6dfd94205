package io.agentjournal.segment;

import com.google.protobuf.InvalidProtocolBufferException;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the three append calls have in common: they carry the same message under three names.
 *
 * @param packed the segments as they are stored; null: they are in {@code unpacked}, to be checked
 *     and packed
 */
record AppendMessage(
    @Nullable StreamOpen open,
    @Nullable Long firstIndex,
    @Nullable PackedSegments packed,
    List<Segment> unpacked,
    @Nullable StreamEnd end,
    int sizeBytes) {

  /**
   * Segments that came in the form in which they are stored are not made into objects, nor into
   * that form again: that would be most of the work that a token makes.
   */
  static AppendMessage parse(byte[] wire) throws InvalidProtocolBufferException {
    PlainSegments plain = PlainSegments.find(wire);
    if (plain == null) {
      AppendSegmentsRequest request = AppendSegmentsRequest.parseFrom(wire);
      return of(request, null, wire.length);
    }
    AppendSegmentsRequest rest = AppendSegmentsRequest.parseFrom(plain.rest(wire));
    return of(rest, plain.packed(wire), wire.length);
  }

  private static AppendMessage of(
      AppendSegmentsRequest request, @Nullable PackedSegments packed, int sizeBytes) {
    return new AppendMessage(
        request.hasOpen() ? request.getOpen() : null,
        request.hasFirstIndex() ? request.getFirstIndex() : null,
        packed,
        request.getSegmentsList(),
        request.hasEnd() ? request.getEnd() : null,
        sizeBytes);
  }

  int segmentCount() {
    return packed == null ? unpacked.size() : packed.count();
  }
}

package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.v1.SegmentRun;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PackedSegmentsTest {
  private static PackedSegments packed(String... texts) {
    SegmentRun.Builder run = SegmentRun.newBuilder();
    for (String text : texts) {
      run.addSegments(TestStream.segment(text));
    }
    return PackedSegments.of(run.build().toByteArray());
  }

  private static List<Integer> counts(List<PackedSegments> parts) {
    return parts.stream().map(PackedSegments::count).toList();
  }

  @Test
  void parts_are_as_large_as_each_other_and_hold_all_in_order() {
    PackedSegments all = packed("a", "b", "c", "d", "e", "f", "g", "h", "i");
    assertEquals(List.of(9), counts(all.parts(1)));
    assertEquals(List.of(5, 4), counts(all.parts(2)));
    assertEquals(List.of(3, 3, 3), counts(all.parts(3)));
    assertEquals(List.of(3, 2, 2, 2), counts(all.parts(4)));
    int from = 0;
    for (PackedSegments part : all.parts(4)) {
      assertEquals(0, part.data().length % part.count());
      assertEquals(part.count(), part.payloadBytes());
      assertEquals(part.count(), part.equalPrefix(all.dropFirst(from), part.count()));
      from += part.count();
    }
  }

  @Test
  void parts_are_fewer_where_segments_are_large_or_few() {
    String large = "x".repeat(1_000);
    assertEquals(List.of(1, 3), counts(packed(large, "a", "b", "c").parts(4)));
    assertEquals(List.of(2, 2), counts(packed("a", large, "b", "c").parts(4)));
    assertEquals(List.of(4), counts(packed("a", "b", "c", large).parts(4)));
    assertEquals(List.of(1, 1), counts(packed("a", "b").parts(4)));
    assertEquals(List.of(1), counts(packed("a").parts(4)));
    assertEquals(List.of(), PackedSegments.NONE.parts(4));
  }
}

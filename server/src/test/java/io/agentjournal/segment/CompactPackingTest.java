package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentRun;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How segments become rows at rest, without a database. */
final class CompactPackingTest {
  private static final long STREAM = 7;
  private static final long FIRST = 1_000;
  private static final int LARGEST_ROW = 32 << 10;

  /** Of data: three such rows, with their heads, are 8,168 bytes, which is a page. */
  private static final int THIRD_OF_PAGE = 2_648;

  /** Two of them are a page, and the most that is kept inside the table. */
  private static final int HALF_OF_PAGE = 4_016;

  private final Random random = new Random(1);

  private static List<StoredExtent> rows(List<PackedSegments> segments) {
    List<StoredExtent> rows = CompactPacking.pack(STREAM, FIRST, segments);
    mustHold(segments, rows);
    return rows;
  }

  /** All of them, in order, in rows that follow each other. */
  private static void mustHold(List<PackedSegments> segments, List<StoredExtent> rows) {
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    segments.forEach(each -> written.writeBytes(each.data()));
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    long expected = FIRST;
    for (StoredExtent row : rows) {
      assertEquals(expected, row.firstIndex());
      Extent extent = row.sound(STREAM);
      assertNotNull(extent);
      assertEquals(PackedSegments.of(extent.data()).count(), row.segmentCount());
      stored.writeBytes(extent.data());
      expected = row.endIndex();
    }
    assertEquals(FIRST + segments.stream().mapToInt(PackedSegments::count).sum(), expected);
    assertArrayEquals(written.toByteArray(), stored.toByteArray());
  }

  private PackedSegments random(int count, int bytes) {
    SegmentRun.Builder run = SegmentRun.newBuilder();
    for (int i = 0; i < count; i++) {
      byte[] data = new byte[bytes];
      random.nextBytes(data);
      run.addSegments(Segment.newBuilder().setData(ByteString.copyFrom(data)));
    }
    return PackedSegments.of(run.build().toByteArray());
  }

  private static PackedSegments numbers(int count) {
    SegmentRun.Builder run = SegmentRun.newBuilder();
    IntStream.range(0, count).forEach(i -> run.addSegments(TestStream.segment("token " + i)));
    return PackedSegments.of(run.build().toByteArray());
  }

  private static List<Integer> counts(List<StoredExtent> rows) {
    return rows.stream().map(StoredExtent::segmentCount).toList();
  }

  @Test
  void rows_hold_what_was_written_whatever_it_is() {
    for (int round = 0; round < 200; round++) {
      List<PackedSegments> segments = new ArrayList<>();
      int calls = random.nextInt(20);
      for (int call = 0; call < calls; call++) {
        segments.add(random(1 + random.nextInt(40), random.nextInt(200)));
        segments.add(numbers(1 + random.nextInt(200)));
      }
      for (StoredExtent row : rows(segments)) {
        assertTrue(row.plainBytes() <= LARGEST_ROW, row.toString());
      }
    }
  }

  @Test
  void two_hundred_random_tokens_are_two_rows_of_which_three_fill_a_page() {
    List<StoredExtent> rows = rows(List.of(random(200, 24)));
    assertEquals(List.of(100, 100), counts(rows));
    for (StoredExtent row : rows) {
      assertTrue(row.data().length <= THIRD_OF_PAGE, row.toString());
      assertTrue(row.data().length > THIRD_OF_PAGE - 100, row.toString());
    }
  }

  @Test
  void what_fills_a_part_of_a_page_already_is_one_row() {
    assertEquals(List.of(100), counts(rows(List.of(random(100, 24)))));
    assertEquals(List.of(20), counts(rows(List.of(random(20, 24)))));
    assertEquals(List.of(200), counts(rows(List.of(numbers(200)))));
  }

  @Test
  void what_is_more_than_a_page_is_divided_by_its_size_alone() {
    assertEquals(List.of(400), counts(rows(List.of(random(400, 24)))));
    assertEquals(
        List.of(1_000, 1_000), counts(rows(List.of(random(1_000, 24), random(1_000, 24)))));
  }

  @Test
  void what_is_divided_is_kept_inside_the_table() {
    for (int count = 1; count < 300; count++) {
      List<StoredExtent> rows = rows(List.of(random(count, 24)));
      assertTrue(rows.size() <= 4, counts(rows).toString());
      if (rows.size() > 1) {
        rows.forEach(row -> assertTrue(row.data().length <= HALF_OF_PAGE, row.toString()));
      }
    }
  }

  @Test
  void a_huge_segment_is_a_row_of_its_own() {
    PackedSegments huge = random(1, 200_000);
    assertEquals(List.of(1), counts(rows(List.of(huge))));
    assertEquals(List.of(10, 1, 20), counts(rows(List.of(numbers(10), huge, numbers(20)))));
  }

  @Test
  void a_single_segment_is_a_row_and_none_is_none() {
    for (int bytes : new int[] {0, 1, 2_000, 3_000, 5_000, 8_000}) {
      assertEquals(List.of(1), counts(rows(List.of(random(1, bytes)))));
    }
    assertEquals(List.of(), rows(List.of()));
  }
}

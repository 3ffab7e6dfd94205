package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Reason;
import io.agentjournal.refusal.Refusal;
import io.agentjournal.segment.StreamWriter.ByAttempt;
import io.agentjournal.segment.StreamWriter.ByEpoch;
import io.agentjournal.segment.StreamWriter.Unnamed;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The rules of an append, without a database. */
final class HeadDecisionTest {
  private static final StreamKey KEY = new StreamKey(Namespace.DEFAULT, "stream");
  private static final long MAX_STREAM_BYTES = 1_000;
  private static final Batch.Origin NOBODY =
      new Batch.Origin() {
        @Override
        public boolean isRefused() {
          return false;
        }

        @Override
        public void dropped(Batch batch) {}

        @Override
        public void flushed(Batch batch, Outcome outcome, boolean isLast) {}
      };

  @Test
  void segments_at_the_next_index_are_appended() {
    HeadDecision decision = at(open(3));
    Outcome outcome = decision.judge(batch(3, "d", "e"), null);
    assertStored(outcome, 5, 2, 0);
    assertEquals(List.of("d", "e"), texts(decision.extents(7)));
    assertEquals(3, decision.extents(7).get(0).firstIndex());
  }

  @Test
  void equal_segments_below_the_next_index_are_duplicates_and_the_rest_is_appended() {
    HeadDecision decision = at(open(3));
    Outcome outcome = decision.judge(batch(1, "b", "c", "d"), packed("b", "c"));
    assertStored(outcome, 4, 1, 2);
    assertEquals(List.of("d"), texts(decision.extents(7)));
  }

  @Test
  void another_payload_of_the_same_length_is_a_conflict_that_names_the_index() {
    HeadDecision decision = at(open(3));
    Outcome outcome = decision.judge(batch(1, "b", "X", "d"), packed("b", "c"));
    assertRefused(outcome, Reason.SEGMENT_CONFLICT, "index", "2");
    assertFalse(decision.isChanged());
    assertTrue(decision.extents(7).isEmpty());
  }

  @Test
  void the_same_bytes_as_data_are_another_payload_than_as_text() {
    Segment data = Segment.newBuilder().setData(bytes("b")).build();
    Outcome outcome =
        at(open(2)).judge(batchOf(new Unnamed(), 1, packed(List.of(data)), null), packed("b"));
    assertRefused(outcome, Reason.SEGMENT_CONFLICT, "index", "1");
  }

  @Test
  void an_index_above_the_next_one_is_a_gap_that_names_the_expected_index() {
    HeadDecision decision = at(open(3));
    Outcome outcome = decision.judge(batch(5, "f"), null);
    assertRefused(outcome, Reason.SEGMENT_GAP, "expected_index", "3");
    assertFalse(decision.isChanged());
  }

  @Test
  void batches_of_one_flush_see_what_came_before_them() {
    HeadDecision decision = at(open(1));
    assertStored(decision.judge(batch(1, "b", "c"), null), 3, 2, 0);
    assertStored(decision.judge(batch(0, "a", "b", "c", "d"), packed("a")), 4, 1, 3);
    assertRefused(decision.judge(batch(2, "X"), null), Reason.SEGMENT_CONFLICT, "index", "2");
    assertEquals(List.of("b", "c", "d"), texts(decision.extents(7)));
  }

  @Test
  void an_ended_stream_takes_duplicates_and_nothing_new() {
    Head complete = open(3).ended(completeEnd("stop", null));
    assertStored(at(complete).judge(batch(1, "b", "c"), packed("b", "c")), 3, 0, 2);
    assertRefused(
        at(complete).judge(batch(2, "c", "d"), packed("c")),
        Reason.STREAM_ENDED,
        "state",
        "COMPLETE");
  }

  @Test
  void an_end_completes_the_stream_after_the_segments_of_its_message() {
    HeadDecision decision = at(open(1));
    Outcome outcome =
        decision.judge(batchOf(new Unnamed(), 1, packed("b"), completeEnd("stop", 2L)), null);
    assertStored(outcome, 2, 1, 0);
    assertEquals(StreamState.COMPLETE, decision.head().state());
    assertEquals("stop", decision.head().finishReason());
  }

  @Test
  void an_end_is_refused_while_expected_segments_are_missing_and_keeps_those_that_came() {
    HeadDecision decision = at(open(1));
    Outcome outcome =
        decision.judge(batchOf(new Unnamed(), 1, packed("b"), completeEnd("stop", 3L)), null);
    assertRefused(outcome, Reason.SEGMENTS_MISSING, "next_index", "2");
    assertEquals(StreamState.OPEN, decision.head().state());
    assertEquals(List.of("b"), texts(decision.extents(7)));
  }

  @Test
  void the_same_end_again_is_a_repeat_and_another_one_is_refused() {
    Head complete = open(1).ended(completeEnd("stop", null));
    assertNull(at(complete).judge(end(completeEnd("stop", 1L)), null).refusal());
    assertRefused(
        at(complete).judge(end(completeEnd("length", null)), null),
        Reason.STREAM_ENDED,
        "finish_reason",
        "stop");
    StreamEnding failed = new StreamEnding(StreamState.FAILED, null, "code", "message", null);
    assertRefused(at(complete).judge(end(failed), null), Reason.STREAM_ENDED, "state", "COMPLETE");
    assertNull(at(open(1).ended(failed)).judge(end(failed), null).refusal());
  }

  @Test
  void a_stream_that_the_slot_completed_accepts_the_finish_reason_that_its_writer_tells_late() {
    Head complete = open(1).ended(completeEnd(null, null));
    assertNull(at(complete).judge(end(completeEnd("stop", 1L)), null).refusal());
  }

  @Test
  void a_stream_never_grows_beyond_its_limit() {
    HeadDecision decision = at(open(1).advanced(1, MAX_STREAM_BYTES - 1));
    assertStored(decision.judge(batch(1, "b"), null), 2, 1, 0);
    assertRefused(decision.judge(batch(2, "c"), null), Reason.TOO_LARGE, "field", "stream");
  }

  @Test
  void only_the_current_attempt_writes_a_bound_stream() {
    Head bound = bound("sub", "att-2");
    assertNull(at(bound).judge(by(new ByAttempt(attempt("sub", "att-2"))), null).refusal());
    Outcome stale = at(bound).judge(by(new ByAttempt(attempt("sub", "att-1"))), null);
    assertRefused(stale, Reason.STALE_ATTEMPT, "current_attempt_id", "att-2");
    assertRefused(
        at(bound).judge(by(new Unnamed()), null), Reason.STALE_ATTEMPT, "submission_id", "sub");
    assertRefused(
        at(bound).judge(by(new ByEpoch(9)), null), Reason.STALE_ATTEMPT, "submission_id", "sub");
  }

  @Test
  void a_stale_attempt_is_refused_before_its_repeat_is_looked_at() {
    Outcome outcome =
        at(bound("sub", "att-2").advanced(1, 1))
            .judge(
                batchOf(new ByAttempt(attempt("sub", "att-1")), 0, packed("a"), null), packed("a"));
    assertRefused(outcome, Reason.STALE_ATTEMPT, "attempt_id", "att-1");
  }

  @Test
  void an_attempt_is_no_writer_of_a_stand_alone_stream() {
    assertRefused(
        at(open(0)).judge(by(new ByAttempt(attempt("sub", "att"))), null),
        Reason.STREAM_NOT_BOUND,
        "stream_key",
        "stream");
  }

  @Test
  void a_higher_epoch_takes_a_stand_alone_stream_over_and_shuts_out_the_lower() {
    HeadDecision decision = at(open(0).withWriterEpoch(4));
    assertRefused(
        decision.judge(by(new ByEpoch(3)), null), Reason.STALE_EPOCH, "current_epoch", "4");
    assertRefused(
        decision.judge(by(new Unnamed()), null), Reason.STALE_EPOCH, "current_epoch", "4");
    assertFalse(decision.raisesEpoch());
    assertNull(decision.judge(by(new ByEpoch(5)), null).refusal());
    assertTrue(decision.raisesEpoch());
    assertRefused(
        decision.judge(by(new ByEpoch(4)), null), Reason.STALE_EPOCH, "current_epoch", "5");
    assertRefused(
        decision.judge(by(new ByEpoch(0)), null), Reason.STALE_EPOCH, "writer_epoch", "0");
  }

  @Test
  void any_split_and_repetition_of_a_response_stores_each_segment_once() {
    Random random = new Random(20261130);
    for (int round = 0; round < 300; round++) {
      List<String> response = new ArrayList<>();
      for (int i = 0; i < 1 + random.nextInt(40); i++) {
        response.add("token-" + i + "-" + random.nextInt(1000));
      }
      List<String> stored = new ArrayList<>();
      while (stored.size() < response.size()) {
        HeadDecision decision = at(open(stored.size()));
        int before = stored.size();
        long next = before;
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
          int from = random.nextInt((int) next + 1);
          int to = Math.min(response.size(), from + 1 + random.nextInt(8));
          List<String> part = response.subList(from, to);
          PackedSegments known =
              from < before
                  ? packed(stored.subList(from, Math.min(before, to)).toArray(String[]::new))
                  : null;
          Outcome outcome = decision.judge(batch(from, part.toArray(String[]::new)), known);
          assertNull(outcome.refusal());
          next = decision.head().nextIndex();
        }
        stored.addAll(texts(decision.extents(7)));
        assertEquals(next, stored.size());
      }
      assertEquals(response, stored);
    }
  }

  @Test
  void rows_stay_below_their_limit_and_keep_the_order() {
    List<PackedSegments> added = new ArrayList<>();
    Random random = new Random(7);
    List<Segment> all = new ArrayList<>();
    for (int message = 0; message < 12; message++) {
      List<Segment> segments = new ArrayList<>();
      for (int i = 0; i < 1 + random.nextInt(5); i++) {
        byte[] data = new byte[random.nextInt(Extent.MAX_BYTES)];
        random.nextBytes(data);
        segments.add(Segment.newBuilder().setData(ByteString.copyFrom(data)).build());
      }
      all.addAll(segments);
      added.add(packed(segments));
    }
    long nextIndex = 5;
    List<Segment> stored = new ArrayList<>();
    for (Extent extent : ExtentPacking.pack(7, 5, added, Extent.MAX_BYTES)) {
      assertEquals(nextIndex, extent.firstIndex());
      assertTrue(extent.data().length <= Extent.MAX_BYTES || extent.segmentCount() == 1);
      List<Segment> segments = segments(extent.data());
      assertEquals(extent.segmentCount(), segments.size());
      stored.addAll(segments);
      nextIndex = extent.endIndex();
    }
    assertEquals(all, stored);
  }

  @Test
  void packed_segments_are_cut_between_segments() {
    PackedSegments all = packed("a", "", "ccc");
    assertEquals(4, all.payloadBytes());
    assertArrayEquals(packed("", "ccc").data(), all.dropFirst(1).data());
    assertEquals(3, all.dropFirst(2).payloadBytes());
    assertArrayEquals(packed("").data(), all.slice(1, 2).data());
    assertEquals(2, all.equalPrefix(packed("a", "", "ccd"), 3));
  }

  private static HeadDecision at(Head head) {
    return new HeadDecision(KEY, head, MAX_STREAM_BYTES);
  }

  private static Head open(long nextIndex) {
    return HeadDecision.unopened().withStreamId(7).advanced(nextIndex, 0);
  }

  private static Head bound(String submissionId, String attemptId) {
    return new Head(
        7, StreamState.OPEN, 0, 0, submissionId, attemptId, false, null, null, null, null);
  }

  private static AttemptId attempt(String submissionId, String attemptId) {
    return new AttemptId(new SubmissionId(Namespace.DEFAULT, submissionId), attemptId);
  }

  private static StreamEnding completeEnd(
      @Nullable String finishReason, @Nullable Long expectedNextIndex) {
    return new StreamEnding(StreamState.COMPLETE, finishReason, null, null, expectedNextIndex);
  }

  private static Batch batch(long firstIndex, String... texts) {
    return batchOf(new Unnamed(), firstIndex, packed(texts), null);
  }

  private static Batch by(StreamWriter writer) {
    return batchOf(writer, 0, PackedSegments.NONE, null);
  }

  private static Batch end(StreamEnding ending) {
    return batchOf(new Unnamed(), 0, PackedSegments.NONE, ending);
  }

  private static Batch batchOf(
      StreamWriter writer,
      long firstIndex,
      PackedSegments segments,
      @Nullable StreamEnding ending) {
    return new Batch(KEY, writer, "", firstIndex, segments, ending, segments.data().length, NOBODY);
  }

  private static PackedSegments packed(String... texts) {
    return packed(
        Arrays.stream(texts).map(text -> Segment.newBuilder().setText(text).build()).toList());
  }

  private static PackedSegments packed(List<Segment> segments) {
    return PackedSegments.of(
        SegmentRun.newBuilder().addAllSegments(segments).build().toByteArray());
  }

  private static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  private static List<Segment> segments(byte[] data) {
    try {
      return SegmentRun.parseFrom(data).getSegmentsList();
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> texts(List<Extent> extents) {
    return extents.stream()
        .flatMap(extent -> segments(extent.data()).stream())
        .map(Segment::getText)
        .toList();
  }

  private static void assertStored(Outcome outcome, long nextIndex, int appended, int duplicates) {
    assertNull(outcome.refusal());
    assertNotNull(outcome.head());
    assertEquals(nextIndex, outcome.head().nextIndex());
    assertEquals(appended, outcome.appended());
    assertEquals(duplicates, outcome.duplicates());
  }

  private static void assertRefused(Outcome outcome, Reason reason, String fact, String value) {
    Refusal refusal = (Refusal) outcome.refusal();
    assertNotNull(refusal);
    assertEquals(reason, refusal.reason());
    assertEquals(value, refusal.facts().get(fact));
  }
}

package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import io.agentjournal.key.Namespace;
import io.agentjournal.refusal.Refusal;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a message asks, read off its wire form: always what protobuf's own parser would have made of
 * it.
 */
final class AppendMessageTest {
  private static final int MIB = 1 << 20;

  private final AppendMessages messages = new AppendMessages(AppendLimits.DEFAULT);
  private final OpenedStream stream =
      OpenedStream.of(Namespace.DEFAULT, StreamOpen.newBuilder().setStreamKey("stream").build());

  static Stream<Segment> segments() {
    return Stream.of(
        text("token"),
        text(""),
        text("\0"),
        text("x".repeat(127)),
        text("x".repeat(128)),
        text("ü€😀"),
        text("x".repeat(MIB)),
        data(),
        data(0xff, 0xfe),
        data(0xc3));
  }

  private static Segment text(String text) {
    return Segment.newBuilder().setText(text).build();
  }

  private static Segment data(int... bytes) {
    byte[] data = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      data[i] = (byte) bytes[i];
    }
    return Segment.newBuilder().setData(ByteString.copyFrom(data)).build();
  }

  private static AppendSegmentsRequest.Builder request() {
    return AppendSegmentsRequest.newBuilder()
        .setOpen(StreamOpen.newBuilder().setStreamKey("stream"))
        .setFirstIndex(7)
        .setEnd(StreamEnd.newBuilder().setFinishReason("stop"));
  }

  @ParameterizedTest
  @MethodSource("segments")
  void segments_in_the_form_in_which_they_are_stored_are_taken_as_they_are(Segment segment)
      throws Exception {
    AppendSegmentsRequest request =
        request().addSegments(segment).addSegments(text("between")).addSegments(segment).build();
    AppendMessage message = AppendMessage.parse(request.toByteArray());
    assertNotNull(message.packed());
    assertEquals(3, message.segmentCount());
    assertEquals(request.getOpen(), message.open());
    assertEquals(7L, message.firstIndex());
    assertEquals(request.getEnd(), message.end());
    assertEquals(request.getSerializedSize(), message.sizeBytes());
    assertSameBatch(request.toByteArray());
  }

  @Test
  void a_message_without_segments_is_one_too() throws Exception {
    AppendMessage message = AppendMessage.parse(request().build().toByteArray());
    assertEquals(0, message.segmentCount());
    assertEquals(7L, message.firstIndex());
    AppendMessage empty = AppendMessage.parse(new byte[0]);
    assertNull(empty.open());
    assertNull(empty.firstIndex());
    assertNull(empty.end());
  }

  /** What would be stored is another form, or nothing. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1a00", // without a payload
        "1a030a0161 1a00",
        "1a8300 0a0161", // longer lengths than necessary
        "1a04 0a810061",
        "9a00 030a0161", // a longer tag
        "1a06 0a0161 0a0162", // two payloads, of which the last counts
        "1a06 0a0161 120162",
        "1a05 0a0161 1801", // a field of the segment that is not known
        "1a05 1801 0a0161",
        "1a030a0161 1000 1a030a0162", // another field between two segments
      })
  void segments_in_another_form_are_looked_at_one_by_one(String hex) throws Exception {
    byte[] wire = HexFormat.of().parseHex(hex.replace(" ", ""));
    assertNull(AppendMessage.parse(wire).packed());
    assertSameBatch(wire);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1a030a01ff", // not UTF-8
        "1a030a0261", // longer than its message
        "1a050a0161",
        "1a", // cut
        "1a03",
        "10",
        "0a05",
        "1a8080808001", // longer than any array
        "1b", // a group, which never ends
        "1a030a0161 0f", // no wire type
        "00",
      })
  void what_is_no_message_is_refused_as_protobuf_refuses_it(String hex) {
    byte[] wire = HexFormat.of().parseHex(hex.replace(" ", ""));
    assertThrows(InvalidProtocolBufferException.class, () -> AppendSegmentsRequest.parseFrom(wire));
    assertThrows(InvalidProtocolBufferException.class, () -> AppendMessage.parse(wire));
  }

  @Test
  void a_segment_that_is_too_large_is_looked_at() throws Exception {
    byte[] wire = request().addSegments(text("x".repeat(MIB + 1))).build().toByteArray();
    assertNull(AppendMessage.parse(wire).packed());
    assertSameBatch(wire);
  }

  @Test
  void what_the_message_has_besides_is_passed_over() throws Exception {
    AppendSegmentsRequest request =
        request()
            .addSegments(text("token"))
            .setUnknownFields(
                UnknownFieldSet.newBuilder()
                    .addField(9, Field.newBuilder().addVarint(1L << 40).build())
                    .addField(
                        10,
                        Field.newBuilder()
                            .addLengthDelimited(ByteString.copyFromUtf8("new"))
                            .build())
                    .build())
            .build();
    assertNotNull(AppendMessage.parse(request.toByteArray()).packed());
    assertSameBatch(request.toByteArray());
  }

  /** Bytes that no client sends. */
  @Test
  void spoiled_messages_are_read_as_protobuf_reads_them() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 100_000; i++) {
      byte[] wire = spoiled(random);
      try {
        assertSameBatch(wire);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + HexFormat.of().formatHex(wire), e);
      }
    }
  }

  private static byte[] spoiled(Random random) {
    AppendSegmentsRequest.Builder request = AppendSegmentsRequest.newBuilder();
    if (random.nextBoolean()) {
      request.setFirstIndex(random.nextInt(300));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      request.addSegments(random.nextBoolean() ? text("aü€😀") : data(random.nextInt(256), 0x80));
    }
    if (random.nextInt(3) == 0) {
      request.setEnd(StreamEnd.newBuilder().setFinishReason("stop"));
    }
    byte[] wire = request.build().toByteArray();
    for (int i = random.nextInt(3); i > 0 && wire.length > 0; i--) {
      wire[random.nextInt(wire.length)] = (byte) (random.nextBoolean() ? random.nextInt() : 0x1a);
    }
    return random.nextInt(4) == 0 ? Arrays.copyOf(wire, random.nextInt(wire.length + 1)) : wire;
  }

  /** As by protobuf's parser and segment by segment: the same batch, or the same refusal. */
  private void assertSameBatch(byte[] wire) {
    String expected;
    try {
      AppendSegmentsRequest request = AppendSegmentsRequest.parseFrom(wire);
      expected =
          batch(
              new AppendMessage(
                  request.hasOpen() ? request.getOpen() : null,
                  request.hasFirstIndex() ? (Long) request.getFirstIndex() : null,
                  null,
                  request.getSegmentsList(),
                  request.hasEnd() ? request.getEnd() : null,
                  wire.length));
    } catch (InvalidProtocolBufferException e) {
      expected = "no message";
    }
    String actual;
    try {
      actual = batch(AppendMessage.parse(wire));
    } catch (InvalidProtocolBufferException e) {
      actual = "no message";
    }
    assertEquals(expected, actual);
  }

  private String batch(AppendMessage message) {
    try {
      Batch batch = messages.batch(stream, message, new LaneQueueTest.NoCall());
      PackedSegments segments = batch.segments();
      return String.join(
          " ",
          String.valueOf(message.open()),
          Long.toString(batch.firstIndex()),
          String.valueOf(batch.ending()),
          segments.count() + " of " + segments.payloadBytes(),
          HexFormat.of().formatHex(segments.data()));
    } catch (Refusal refusal) {
      return refusal.toString();
    }
  }
}

package io.agentjournal.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.protobuf.ByteString;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.ReadEnd;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsResponse;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SegmentServiceGrpc.SegmentServiceBlockingStub;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.StreamState;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever a client sends over TCP gets its typed error, and nothing is stored beyond the last good
 * segment. Every test begins with two good ones.
 */
final class BadInputTest {
  private static final int MIB = 1 << 20;

  @TempDir static Path directory;
  private static ServerProcess server;
  private static ManagedChannel channel;

  private final String key = "stream-" + UUID.randomUUID();
  private final StreamOpen open = StreamOpen.newBuilder().setStreamKey(key).build();
  private long good;

  @BeforeAll
  static void start() {
    server = ServerProcess.start(directory);
    channel = server.channel();
  }

  @AfterAll
  static void end() {
    channel.shutdownNow();
    server.close();
  }

  private static SegmentServiceBlockingStub stub() {
    return SegmentServiceGrpc.newBlockingStub(channel).withDeadlineAfter(1, TimeUnit.MINUTES);
  }

  private static AppendSegmentsRequest.Builder message() {
    return AppendSegmentsRequest.newBuilder();
  }

  private static AppendSegmentsRequest.Builder texts(long first, String... texts) {
    AppendSegmentsRequest.Builder message = message().setFirstIndex(first);
    for (String text : texts) {
      message.addSegments(Segment.newBuilder().setText(text));
    }
    return message;
  }

  private static Segment data(int bytes) {
    return Segment.newBuilder().setData(ByteString.copyFrom(new byte[bytes])).build();
  }

  /** Two good segments, and an open call that goes on with these messages. */
  private Call goodThen(AppendSegmentsRequest.Builder... messages) {
    Call call = new Call();
    call.send(message().setOpen(open)).send(texts(0, "a", "b"));
    good = 2;
    for (AppendSegmentsRequest.Builder each : messages) {
      call.send(each);
    }
    return call;
  }

  /** A call that begins so. */
  private static Call begun(StreamOpen.Builder opened) {
    return new Call().send(texts(0, "a").setOpen(opened));
  }

  private static Call begun(String streamKey) {
    return begun(StreamOpen.newBuilder().setStreamKey(streamKey));
  }

  @AfterEach
  void nothing_is_stored_beyond_the_last_good_segment() {
    if (good == 0) {
      assertEquals(
          ErrorReason.ERROR_REASON_STREAM_NOT_FOUND,
          Refused.from(() -> stub().getStream(get(key))).reason());
      return;
    }
    Wait.until("the good ones are stored", () -> nextIndex(key) >= good);
    assertEquals(good, nextIndex(key));
  }

  private static GetStreamRequest get(String streamKey) {
    return GetStreamRequest.newBuilder().setStreamKey(streamKey).build();
  }

  private static long nextIndex(String streamKey) {
    return stub().getStream(get(streamKey)).getStream().getNextIndex();
  }

  @Test
  void empty_key() {
    begun("").invalid("stream_key");
  }

  @Test
  void key_that_is_too_long() {
    begun("k".repeat(2_049)).invalid("stream_key");
  }

  @Test
  void submission_id_of_513_bytes() {
    begun(
            open.toBuilder()
                .setAttempt(
                    AttemptRef.newBuilder().setSubmissionId("s".repeat(513)).setAttemptId("a")))
        .invalid("submission_id");
  }

  @Test
  void nul_in_the_key() {
    begun(key + "\0").invalid("stream_key");
  }

  @Test
  void control_character_in_the_key() {
    begun(key + "\t").invalid("stream_key");
    begun(key + "\u007f").invalid("stream_key");
  }

  @Test
  void negative_index() {
    goodThen(texts(-1, "c")).invalid("first_index", "next_index", "2");
  }

  @Test
  void index_2_to_the_63_minus_1() {
    goodThen(texts(Long.MAX_VALUE, "c")).invalid("first_index", "next_index", "2");
  }

  @Test
  void no_index() {
    goodThen(texts(0, "c").clearFirstIndex()).invalid("first_index", "next_index", "2");
  }

  @Test
  void gap() {
    goodThen(texts(3, "d"))
        .refused()
        .mustBe(
            Status.Code.OUT_OF_RANGE,
            ErrorReason.ERROR_REASON_SEGMENT_GAP,
            "expected_index",
            "2",
            "index",
            "3");
  }

  @Test
  void other_bytes_under_a_stored_index() {
    goodThen(texts(1, "B", "c"))
        .refused()
        .mustBe(
            Status.Code.ALREADY_EXISTS, ErrorReason.ERROR_REASON_SEGMENT_CONFLICT, "index", "1");
  }

  @Test
  void other_length_under_a_stored_index() {
    goodThen(texts(1, "bb", "c"))
        .refused()
        .mustBe(
            Status.Code.ALREADY_EXISTS, ErrorReason.ERROR_REASON_SEGMENT_CONFLICT, "index", "1");
  }

  @Test
  void first_message_without_open() {
    new Call().send(texts(0, "a")).invalid("open");
  }

  @Test
  void open_twice() {
    goodThen(texts(2, "c").setOpen(open)).invalid("open", "next_index", "2");
  }

  @Test
  void bound_stream_without_its_writer() {
    StartedTurn turn = StartedTurn.on(channel, Duration.ofMinutes(1));
    begun(turn.streamKey())
        .refused()
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "current_attempt_id",
            turn.attempt().getAttemptId());
    assertEquals(0, nextIndex(turn.streamKey()));
  }

  @Test
  void lower_writer_epoch() {
    StreamOpen.Builder epoch = open.toBuilder().setWriterEpoch(2);
    begun(epoch).end();
    good = 1;
    new Call()
        .send(texts(1, "b").setOpen(epoch.clone().setWriterEpoch(1)))
        .refused()
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_EPOCH,
            "current_epoch",
            "2");
  }

  @Test
  void negative_writer_epoch() {
    begun(open.toBuilder().setWriterEpoch(-1)).invalid("writer_epoch");
  }

  @Test
  void segment_without_payload() {
    goodThen(texts(2, "c").addSegments(Segment.getDefaultInstance()))
        .invalid("segments[1].payload", "next_index", "2");
  }

  @Test
  void segment_of_1_mib_and_a_byte() {
    goodThen(message().setFirstIndex(2).addSegments(data(MIB + 1)))
        .tooLarge("segments[0].payload", MIB + 1, MIB);
  }

  @Test
  void segments_1001_in_a_message() {
    goodThen(message().setFirstIndex(2).addAllSegments(Collections.nCopies(1_001, data(1))))
        .tooLarge("segments", 1_001, 1_000);
  }

  @Test
  void message_of_5_mib() {
    AppendSegmentsRequest.Builder message =
        message().setFirstIndex(2).addAllSegments(Collections.nCopies(5, data(MIB)));
    goodThen(message).tooLarge("message", message.build().getSerializedSize(), 4 * MIB);
  }

  /** Larger than the server would take apart; gRPC itself refuses it. */
  @Test
  void message_of_40_mib() {
    StatusRuntimeException refused =
        goodThen(message().setFirstIndex(2).addAllSegments(Collections.nCopies(40, data(MIB))))
            .failure();
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
  }

  @Test
  void segments_after_the_end() {
    goodThen(message().setEnd(StreamEnd.newBuilder().setFinishReason("stop"))).answer();
    new Call()
        .send(texts(2, "c").setOpen(open))
        .refused()
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STREAM_ENDED,
            "state",
            "COMPLETE",
            "next_index",
            "2");
  }

  @Test
  void segments_after_the_end_in_the_same_call() {
    Call call =
        goodThen(message().setEnd(StreamEnd.newBuilder().setFinishReason("stop")), texts(2, "c"));
    Wait.until("the call is over", call::isOver);
    assertEquals(
        StreamState.STREAM_STATE_COMPLETE, stub().getStream(get(key)).getStream().getState());
  }

  @Test
  void client_that_goes_away_in_the_middle() {
    Call call = goodThen();
    Wait.until("what it sent is stored", () -> exists(key) && nextIndex(key) == 2);
    call.cancel();
    // Its stream is nobody's, and anybody's.
    AppendSegmentsResponse answer = new Call().send(texts(2, "c").setOpen(open)).end().answer();
    assertEquals(3, answer.getNextIndex());
    good = 3;
  }

  private static boolean exists(String streamKey) {
    try {
      return stub().getStream(get(streamKey)).hasStream();
    } catch (StatusRuntimeException e) {
      assertEquals(Status.Code.NOT_FOUND, e.getStatus().getCode());
      return false;
    }
  }

  @Test
  void client_that_never_half_closes() {
    Call call = goodThen();
    Wait.until("what it sent is stored", () -> exists(key) && nextIndex(key) == 2);
    assertFalse(call.isOver());
    assertEquals(List.of("a", "b"), read(ReadSegmentsRequest.newBuilder(), 2));
    call.cancel();
  }

  @Test
  void unknown_stream() {
    Refused.from(() -> read(ReadSegmentsRequest.newBuilder(), 0))
        .mustBe(
            Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_STREAM_NOT_FOUND, "stream_key", key);
  }

  @Test
  void start_index_past_the_end() {
    goodThen().end().answer();
    assertEquals(List.of(), read(ReadSegmentsRequest.newBuilder().setStartIndex(2), 2));
    for (long past : List.of(3L, Long.MAX_VALUE)) {
      Refused.from(() -> read(ReadSegmentsRequest.newBuilder().setStartIndex(past), 2))
          .mustBe(
              Status.Code.OUT_OF_RANGE,
              ErrorReason.ERROR_REASON_START_PAST_END,
              "start_index",
              Long.toString(past),
              "next_index",
              "2");
    }
  }

  @Test
  void negative_start_index() {
    goodThen().end().answer();
    Refused.from(() -> read(ReadSegmentsRequest.newBuilder().setStartIndex(-1), 2))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "start_index");
  }

  private List<String> read(ReadSegmentsRequest.Builder request, long nextIndex) {
    Iterator<ReadSegmentsResponse> messages =
        stub().readSegments(request.setStreamKey(key).build());
    List<String> texts = new ArrayList<>();
    ReadEnd end = ReadEnd.getDefaultInstance();
    while (messages.hasNext()) {
      ReadSegmentsResponse message = messages.next();
      message.getRun().getSegmentsList().forEach(segment -> texts.add(segment.getText()));
      end = message.getEnd();
    }
    assertEquals(ReadEndReason.READ_END_REASON_STILL_OPEN, end.getReason());
    assertEquals(nextIndex, end.getNextIndex());
    return texts;
  }

  /** An AppendSegments call that stays open until it is ended. */
  private static final class Call implements StreamObserver<AppendSegmentsResponse> {
    private final CompletableFuture<AppendSegmentsResponse> answer = new CompletableFuture<>();
    private final CompletableFuture<StatusRuntimeException> failure = new CompletableFuture<>();
    private final ClientCallStreamObserver<AppendSegmentsRequest> requests =
        (ClientCallStreamObserver<AppendSegmentsRequest>)
            SegmentServiceGrpc.newStub(channel)
                .withDeadlineAfter(1, TimeUnit.MINUTES)
                .appendSegments(this);

    Call send(AppendSegmentsRequest.Builder message) {
      requests.onNext(message.build());
      return this;
    }

    Call end() {
      requests.onCompleted();
      return this;
    }

    void cancel() {
      requests.cancel("gone", null);
    }

    boolean isOver() {
      return answer.isDone() || failure.isDone();
    }

    AppendSegmentsResponse answer() {
      return answer.join();
    }

    StatusRuntimeException failure() {
      return failure.join();
    }

    Refused refused() {
      return Refused.of(failure());
    }

    void invalid(String field, String... namesAndValues) {
      Refused refused = refused();
      refused.mustBe(
          Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, namesAndValues);
      assertEquals(field, refused.fact("field"));
    }

    void tooLarge(String field, long size, long limit) {
      refused()
          .mustBe(
              Status.Code.INVALID_ARGUMENT,
              ErrorReason.ERROR_REASON_TOO_LARGE,
              "field",
              field,
              "size",
              Long.toString(size),
              "limit",
              Long.toString(limit),
              "next_index",
              "2");
    }

    @Override
    public void onNext(AppendSegmentsResponse told) {
      answer.complete(told);
    }

    @Override
    public void onError(Throwable cause) {
      failure.complete((StatusRuntimeException) cause);
      answer.completeExceptionally(cause);
    }

    @Override
    public void onCompleted() {
      failure.completeExceptionally(new AssertionError("it ended well"));
    }
  }
}

package io.agentjournal.it.model;

import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.SealStreamRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Calls about streams of no submission, as somebody might make them. */
final class StandAloneMoves {
  private static final List<String> KEYS = List.of("x1", "x1", "x2");

  private final Draft draft;

  StandAloneMoves(Draft draft) {
    this.draft = draft;
  }

  Call any() {
    return switch (draft.random.nextInt(12)) {
      case 0 -> seal();
      case 1 ->
          Call.of(
              SegmentServiceGrpc.getDeleteStreamMethod(),
              DeleteStreamRequest.newBuilder().setStreamKey(draft.oneOf(KEYS)).build());
      default -> put();
    };
  }

  private Call put() {
    String key = draft.oneOf(KEYS);
    StreamOpen.Builder open =
        StreamOpen.newBuilder().setStreamKey(key).setContentType(draft.chance(80) ? "" : "a/b");
    Long epoch = epoch(key);
    if (draft.chance(4)) {
      open.setAttempt(AttemptRef.newBuilder().setSubmissionId("u1").setAttemptId("a1"));
    } else if (epoch != null) {
      open.setWriterEpoch(epoch);
    }
    PutSegmentsRequest.Builder request = PutSegmentsRequest.newBuilder().setOpen(open);
    long next = nextIndex(key);
    long from = Math.max(0, next + (draft.chance(70) ? 0 : draft.random.nextInt(4) - 2));
    int count = draft.random.nextInt(4);
    if (count > 0) {
      request.setFirstIndex(from);
    }
    for (long index = from; index < from + count; index++) {
      request.addSegments(
          Segment.newBuilder().setText(draft.chance(85) ? "token " + index : "another"));
    }
    if (draft.chance(12)) {
      request.setEnd(end(from + count));
    }
    return new Call(draft.anyAppend(), request.build());
  }

  /** Mostly the highest that was seen, or none before there is one. */
  private @Nullable Long epoch(String key) {
    ModelStream stream = draft.world.streams.get(key);
    boolean isFenced = stream != null && stream.told.hasWriterEpoch();
    if (stream == null || !isFenced) {
      return draft.chance(75) ? null : Long.valueOf(draft.random.nextInt(3));
    }
    long current = stream.told.getWriterEpoch();
    return switch (draft.random.nextInt(8)) {
      case 0 -> null;
      case 1 -> current + 1;
      case 2 -> Math.max(0, current - 1);
      default -> current;
    };
  }

  private long nextIndex(String key) {
    ModelStream stream = draft.world.streams.get(key);
    return stream == null ? 0 : stream.nextIndex();
  }

  private StreamEnd end(long nextIndex) {
    StreamEnd.Builder end = StreamEnd.newBuilder();
    if (draft.chance(50)) {
      end.setExpectedNextIndex(nextIndex + (draft.chance(80) ? 0 : 1));
    }
    return draft.chance(75)
        ? end.setFinishReason("stop").build()
        : end.setFailure(Failure.newBuilder().setCode("code").setMessage("message")).build();
  }

  private Call seal() {
    String key = draft.oneOf(KEYS);
    SealStreamRequest.Builder request = SealStreamRequest.newBuilder().setStreamKey(key);
    if (draft.chance(30)) {
      request.setForce(true);
    } else {
      request.setEnd(end(nextIndex(key)));
      Long epoch = epoch(key);
      if (epoch != null) {
        request.setWriterEpoch(epoch);
      }
    }
    return Call.of(SegmentServiceGrpc.getSealStreamMethod(), request.build());
  }
}

package io.agentjournal.it.model;

import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.DeleteStreamResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.PutSegmentsResponse;
import io.agentjournal.v1.SealStreamRequest;
import io.agentjournal.v1.SealStreamResponse;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.Stream;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.StreamState;
import org.jspecify.annotations.Nullable;

/** What the contract says of streams, of turns and of nothing. */
final class Streams {
  private static final String SEALED = "sealed";

  private Streams() {}

  static void open(
      World world, ModelSubmission submission, ModelTurn turn, String key, String contentType) {
    ModelStream there = world.streams.get(key);
    if (there != null) {
      throw new Denied(
          there.isDeleted()
              ? ErrorReason.ERROR_REASON_STREAM_DELETED
              : ErrorReason.ERROR_REASON_STREAM_CONFLICT,
          "stream_key",
          key);
    }
    Stream opened =
        Stream.newBuilder()
            .setStreamKey(key)
            .setState(StreamState.STREAM_STATE_OPEN)
            .setContentType(contentType)
            .setAttempt(
                AttemptRef.newBuilder()
                    .setSubmissionId(submission.id())
                    .setAttemptId(submission.told.getAttemptId()))
            .setTurnId(turn.id())
            .setOpenedAt(Told.TIME)
            .build();
    world.streams.put(
        key, new ModelStream(submission.id(), opened, submission.told.hasAbortRequestedAt()));
  }

  /** What the end of the response in its turn does to the stream. */
  static void complete(ModelStream stream, boolean isCounted, long expectedNextIndex) {
    requireSegments(stream, isCounted, expectedNextIndex);
    if (stream.isOpen()) {
      stream.end(StreamState.STREAM_STATE_COMPLETE, "");
    } else if (stream.told.getState() != StreamState.STREAM_STATE_COMPLETE) {
      throw ended(stream);
    }
  }

  static void requireSegments(ModelStream stream, boolean isCounted, long expectedNextIndex) {
    if (isCounted && expectedNextIndex != stream.nextIndex()) {
      throw new Denied(
          ErrorReason.ERROR_REASON_SEGMENTS_MISSING,
          "expected_next_index",
          expectedNextIndex,
          "next_index",
          stream.nextIndex());
    }
  }

  /** As one of the facts by which a repeat is recognised. */
  static boolean hasSegments(World world, String key, boolean isCounted, long expectedNextIndex) {
    ModelStream stream = world.streams.get(key);
    return !isCounted || (stream != null && stream.nextIndex() == expectedNextIndex);
  }

  private static Denied ended(ModelStream stream) {
    return new Denied(
        ErrorReason.ERROR_REASON_STREAM_ENDED, "stream_key", stream.told.getStreamKey());
  }

  /**
   * Who writes.
   *
   * @param attempt null: none is named
   * @param epoch null: none is named
   */
  private record Writer(@Nullable AttemptRef attempt, @Nullable Long epoch) {}

  private static Writer writer(StreamOpen open) {
    return new Writer(
        open.hasAttempt() ? open.getAttempt() : null,
        open.hasWriterEpoch() ? open.getWriterEpoch() : null);
  }

  private static Writer writer(SealStreamRequest request) {
    return new Writer(
        request.hasAttempt() ? request.getAttempt() : null,
        request.hasWriterEpoch() ? request.getWriterEpoch() : null);
  }

  /** Refuses any but the writer; a higher epoch takes a stand-alone stream over. */
  private static void admit(ModelStream stream, Writer writer) {
    if (stream.isDeleted()) {
      throw new Denied(ErrorReason.ERROR_REASON_STREAM_DELETED);
    }
    if (stream.isBound()) {
      AttemptRef attempt = writer.attempt();
      if (attempt == null) {
        throw new Denied(ErrorReason.ERROR_REASON_STALE_ATTEMPT);
      }
      if (!stream.told.getAttempt().equals(attempt)) {
        throw new Denied(
            ErrorReason.ERROR_REASON_STALE_ATTEMPT, "attempt_id", attempt.getAttemptId());
      }
      return;
    }
    if (writer.attempt() != null) {
      throw new Denied(ErrorReason.ERROR_REASON_STREAM_NOT_BOUND);
    }
    Long epoch = writer.epoch();
    boolean isLower =
        stream.told.hasWriterEpoch() && (epoch == null || epoch < stream.told.getWriterEpoch());
    if (isLower) {
      throw new Denied(
          ErrorReason.ERROR_REASON_STALE_EPOCH, "current_epoch", stream.told.getWriterEpoch());
    }
    if (epoch != null) {
      stream.told = stream.told.toBuilder().setWriterEpoch(epoch).build();
    }
  }

  /** What comes before a refused segment is stored, although the call is refused. */
  static Answer put(World world, PutSegmentsRequest request) {
    StreamOpen open = request.getOpen();
    boolean isNew = !open.hasAttempt() && !world.streams.containsKey(open.getStreamKey());
    ModelStream stream = isNew ? opened(open) : world.stream(open.getStreamKey());
    admit(stream, writer(open));
    Answer answer = put(stream, request);
    if (isNew && (answer.reason() == null || stream.nextIndex() > 0)) {
      world.streams.put(open.getStreamKey(), stream);
    }
    return answer;
  }

  /** By its first append: bound to no submission. */
  private static ModelStream opened(StreamOpen open) {
    return new ModelStream(
        "",
        Stream.newBuilder()
            .setStreamKey(open.getStreamKey())
            .setState(StreamState.STREAM_STATE_OPEN)
            .setContentType(open.getContentType())
            .setOpenedAt(Told.TIME)
            .build(),
        false);
  }

  private static Answer put(ModelStream stream, PutSegmentsRequest request) {
    long appended = 0;
    long duplicates = 0;
    long index = request.getFirstIndex();
    try {
      for (Segment segment : request.getSegmentsList()) {
        if (index < stream.nextIndex()) {
          requireEqual(stream, index, segment);
          duplicates++;
        } else {
          requireNext(stream, index);
          stream.append(segment);
          appended++;
        }
        index++;
      }
      if (request.hasEnd()) {
        end(stream, request.getEnd());
      }
    } catch (Denied refused) {
      return refused.answer();
    }
    return Told.of(
        PutSegmentsResponse.getDefaultInstance(),
        "next_index",
        stream.nextIndex(),
        "appended",
        appended,
        "duplicates",
        duplicates,
        "state",
        stream.told.getState().getValueDescriptor(),
        "abort_requested",
        stream.abortRequested);
  }

  private static void requireEqual(ModelStream stream, long index, Segment segment) {
    if (!stream.segments.get((int) index).equals(segment)) {
      throw new Denied(ErrorReason.ERROR_REASON_SEGMENT_CONFLICT, "index", index);
    }
  }

  private static void requireNext(ModelStream stream, long index) {
    if (!stream.isOpen()) {
      throw ended(stream);
    }
    if (index > stream.nextIndex()) {
      throw new Denied(
          ErrorReason.ERROR_REASON_SEGMENT_GAP,
          "expected_index",
          stream.nextIndex(),
          "index",
          index);
    }
  }

  /** True: this ended it. */
  private static boolean end(ModelStream stream, StreamEnd end) {
    requireSegments(stream, end.hasExpectedNextIndex(), end.getExpectedNextIndex());
    if (stream.isOpen()) {
      if (end.hasFailure()) {
        stream.fail(end.getFailure());
      } else {
        stream.end(StreamState.STREAM_STATE_COMPLETE, end.getFinishReason());
      }
      return true;
    }
    boolean isSame =
        end.hasFailure()
            ? stream.told.getState() == StreamState.STREAM_STATE_FAILED
                && stream.told.getFailure().equals(end.getFailure())
            : stream.told.getState() == StreamState.STREAM_STATE_COMPLETE
                && (stream.told.getFinishReason().isEmpty()
                    || stream.told.getFinishReason().equals(end.getFinishReason()));
    if (!isSame) {
      throw ended(stream);
    }
    return false;
  }

  static Answer seal(World world, SealStreamRequest request) {
    ModelStream stream = world.stream(request.getStreamKey());
    boolean applied;
    if (request.getForce()) {
      applied = seal(stream);
    } else {
      admit(stream, writer(request));
      applied = end(stream, request.getEnd());
    }
    return Told.of(
        SealStreamResponse.getDefaultInstance(), "applied", applied, "stream", stream.told);
  }

  private static boolean seal(ModelStream stream) {
    if (stream.isDeleted()) {
      throw new Denied(ErrorReason.ERROR_REASON_STREAM_DELETED);
    }
    if (stream.isOpen()) {
      stream.end(StreamState.STREAM_STATE_FAILED, SEALED);
      return true;
    }
    if (!stream.told.getFinishReason().equals(SEALED)
        || stream.told.getState() != StreamState.STREAM_STATE_FAILED) {
      throw ended(stream);
    }
    return false;
  }

  static Answer delete(World world, DeleteStreamRequest request) {
    ModelStream stream = world.stream(request.getStreamKey());
    ModelSubmission submission = world.submissions.get(stream.submissionId);
    ModelTurn slot = submission == null ? null : submission.slot();
    boolean isNamed = slot != null && slot.slot.getStreamKey().equals(request.getStreamKey());
    if (submission != null && isNamed && !submission.isSettled()) {
      throw new Denied(ErrorReason.ERROR_REASON_STREAM_IN_USE, "submission_id", submission.id());
    }
    boolean applied = !stream.isDeleted();
    if (applied) {
      stream.delete();
    }
    return Told.of(DeleteStreamResponse.getDefaultInstance(), "applied", applied);
  }
}

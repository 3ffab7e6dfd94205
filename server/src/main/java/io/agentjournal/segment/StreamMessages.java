package io.agentjournal.segment;

import io.agentjournal.key.Namespace;
import io.agentjournal.refusal.Refusal.CorruptExtent;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.rpc.PageRequest;
import io.agentjournal.rpc.Times;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.ListStreamsRequest;
import io.agentjournal.v1.ListStreamsResponse;
import io.agentjournal.v1.SegmentRun;
import io.agentjournal.v1.Stream;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Between stored streams and their messages. */
public final class StreamMessages {
  /** Well below what a message may be, and above what one stream takes. */
  private static final int MAX_PAGE_BYTES = 3 << 20;

  private StreamMessages() {}

  /**
   * Segments {@code [from, to)} of a stretch, all of which are at hand.
   *
   * @throws CorruptExtent the stored bytes do not hold the segments that their row promises
   */
  public static SegmentRun run(StreamStretch stretch, long from, long to) {
    SegmentRun.Builder run = SegmentRun.newBuilder().setFirstIndex(from);
    long next = from;
    for (Extent extent : stretch.extents()) {
      if (next < to && extent.firstIndex() <= next && extent.endIndex() > next) {
        long end = Math.min(to, extent.endIndex());
        run.addAllSegments(
            ReadMessages.parsed(stretch.key(), extent)
                .getSegmentsList()
                .subList(
                    Math.toIntExact(next - extent.firstIndex()),
                    Math.toIntExact(end - extent.firstIndex())));
        next = end;
      }
    }
    return run.build();
  }

  public static Stream stream(StoredStream row) {
    Head head = row.head();
    Stream.Builder stream =
        Stream.newBuilder()
            .setStreamKey(row.key())
            .setState(state(head.state()))
            .setNextIndex(head.nextIndex())
            .setSizeBytes(head.sizeBytes())
            .setContentType(row.contentType())
            .setOpenedAt(Times.message(row.openedAt()));
    if (head.submissionId() != null && head.attemptId() != null) {
      stream.setAttempt(
          AttemptRef.newBuilder()
              .setSubmissionId(head.submissionId())
              .setAttemptId(head.attemptId()));
    }
    if (row.turnId() != null) {
      stream.setTurnId(row.turnId());
    }
    if (head.writerEpoch() != null) {
      stream.setWriterEpoch(head.writerEpoch());
    }
    if (head.finishReason() != null) {
      stream.setFinishReason(head.finishReason());
    }
    Failure failure = failure(head.failureCode(), head.failureMessage());
    if (failure != null) {
      stream.setFailure(failure);
    }
    if (row.lastSegmentAt() != null) {
      stream.setLastSegmentAt(Times.message(row.lastSegmentAt()));
    }
    if (row.endedAt() != null) {
      stream.setEndedAt(Times.message(row.endedAt()));
    }
    return stream.build();
  }

  static @Nullable Failure failure(@Nullable String code, @Nullable String message) {
    if (code == null && message == null) {
      return null;
    }
    return Failure.newBuilder()
        .setCode(code == null ? "" : code)
        .setMessage(message == null ? "" : message)
        .build();
  }

  static StreamSelection selection(Namespace namespace, ListStreamsRequest request) {
    return new StreamSelection(
        namespace,
        request.getSubmissionId().isEmpty() ? null : request.getSubmissionId(),
        request.getKeyPrefix(),
        states(request.getState()));
  }

  /** As many of the rows as a page and a message hold, with a token when there are more. */
  static ListStreamsResponse page(PageRequest page, List<StoredStream> rows) {
    ListStreamsResponse.Builder response = ListStreamsResponse.newBuilder();
    int bytes = 0;
    for (StoredStream row : rows) {
      Stream stream = stream(row);
      bytes += stream.getSerializedSize();
      int count = response.getStreamsCount();
      if (count == page.size() || (count > 0 && bytes > MAX_PAGE_BYTES)) {
        String last = response.getStreams(count - 1).getStreamKey();
        return response.setNextPageToken(page.tokenAfter(last)).build();
      }
      response.addStreams(stream);
    }
    return response.build();
  }

  public static io.agentjournal.v1.StreamState state(StreamState state) {
    return switch (state) {
      case OPEN -> io.agentjournal.v1.StreamState.STREAM_STATE_OPEN;
      case COMPLETE -> io.agentjournal.v1.StreamState.STREAM_STATE_COMPLETE;
      case FAILED -> io.agentjournal.v1.StreamState.STREAM_STATE_FAILED;
      case SUPERSEDED -> io.agentjournal.v1.StreamState.STREAM_STATE_SUPERSEDED;
      case DELETED -> io.agentjournal.v1.StreamState.STREAM_STATE_DELETED;
    };
  }

  private static Set<StreamState> states(io.agentjournal.v1.StreamState wanted) {
    return switch (wanted) {
      case STREAM_STATE_UNSPECIFIED -> StreamSelection.allButDeleted();
      case STREAM_STATE_OPEN -> Set.of(StreamState.OPEN);
      case STREAM_STATE_COMPLETE -> Set.of(StreamState.COMPLETE);
      case STREAM_STATE_FAILED -> Set.of(StreamState.FAILED);
      case STREAM_STATE_SUPERSEDED -> Set.of(StreamState.SUPERSEDED);
      case STREAM_STATE_DELETED -> Set.of(StreamState.DELETED);
      case UNRECOGNIZED -> throw InvalidField.because("state", "not one of StreamState");
    };
  }
}

package io.agentjournal.event;

import com.google.protobuf.InvalidProtocolBufferException;
import io.agentjournal.key.Identifier;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.rpc.Times;
import io.agentjournal.segment.StreamMessages;
import io.agentjournal.segment.StreamStretch;
import io.agentjournal.v1.StreamEnded;
import io.agentjournal.v1.StreamSegments;
import io.agentjournal.v1.WatchCaughtUp;
import io.agentjournal.v1.WatchEnd;
import io.agentjournal.v1.WatchEndReason;
import io.agentjournal.v1.WatchHeartbeat;
import io.agentjournal.v1.WatchSubmissionRequest;
import io.agentjournal.v1.WatchSubmissionResponse;
import org.jspecify.annotations.Nullable;

/** Messages of WatchSubmission from and to what the watch itself talks of. */
final class WatchMessages {
  private static final int MAX_CURSOR_BYTES = 512;

  private WatchMessages() {}

  static WatchRequest request(Namespace namespace, WatchSubmissionRequest message) {
    WatchTarget target =
        switch (message.getWhichCase()) {
          case SUBMISSION_ID ->
              new WatchTarget.OfSubmission(new SubmissionId(namespace, message.getSubmissionId()));
          case SESSION_KEY ->
              new WatchTarget.OfSession(new SessionKey(namespace, message.getSessionKey()));
          case WHICH_NOT_SET ->
              throw InvalidField.because("which", "missing: submission_id or session_key");
        };
    return new WatchRequest(
        target,
        cursor(target, message.getCursor()),
        !message.getWithoutSegments(),
        message.hasHeartbeat() ? Times.duration("heartbeat", message.getHeartbeat()) : null);
  }

  private static @Nullable WatchCursor cursor(WatchTarget target, String text) {
    return text.isEmpty()
        ? null
        : WatchCursor.parse(target, Identifier.check("cursor", text, MAX_CURSOR_BYTES));
  }

  static WatchSubmissionResponse of(WatchTarget target, WatchItem item) {
    return builder(item)
        .setSubmissionId(item.submission().id())
        .setCursor(WatchCursor.of(item.after()).text(target))
        .build();
  }

  private static WatchSubmissionResponse.Builder builder(WatchItem item) {
    if (item instanceof WatchItem.OfEvent event) {
      return stored(event.event()).setAt(Times.message(event.event().at()));
    }
    if (item instanceof WatchItem.OfSegments segments) {
      return WatchSubmissionResponse.newBuilder()
          .setSegments(
              StreamSegments.newBuilder()
                  .setStreamKey(segments.stretch().key().key())
                  .setRun(StreamMessages.run(segments.stretch(), segments.from(), segments.to())));
    }
    StreamStretch ended = ((WatchItem.OfStreamEnd) item).stretch();
    WatchSubmissionResponse.Builder message =
        WatchSubmissionResponse.newBuilder()
            .setStreamEnded(
                StreamEnded.newBuilder()
                    .setStreamKey(ended.key().key())
                    .setState(StreamMessages.state(ended.head().state()))
                    .setFinishReason(
                        ended.head().finishReason() == null ? "" : ended.head().finishReason()));
    return ended.endedAt() == null ? message : message.setAt(Times.message(ended.endedAt()));
  }

  private static WatchSubmissionResponse.Builder stored(StoredEvent event) {
    try {
      return WatchSubmissionResponse.parseFrom(event.message()).toBuilder();
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("event " + event.number() + " does not parse", e);
    }
  }

  static WatchSubmissionResponse caughtUp(WatchTarget target, WatchPosition position) {
    return at(target, position).setCaughtUp(WatchCaughtUp.getDefaultInstance()).build();
  }

  static WatchSubmissionResponse heartbeat() {
    return WatchSubmissionResponse.newBuilder()
        .setHeartbeat(WatchHeartbeat.getDefaultInstance())
        .build();
  }

  static WatchSubmissionResponse end(
      WatchTarget target, WatchPosition position, WatchProgress.Ending ending) {
    return at(target, position)
        .setEnd(
            WatchEnd.newBuilder()
                .setReason(WatchEndReason.valueOf("WATCH_END_REASON_" + ending.name())))
        .build();
  }

  /** Of what a cursor was of: nothing is left that tells more. */
  static WatchSubmissionResponse deleted(WatchRequest request) {
    WatchSubmissionResponse.Builder message =
        WatchSubmissionResponse.newBuilder()
            .setEnd(WatchEnd.newBuilder().setReason(WatchEndReason.WATCH_END_REASON_DELETED));
    WatchCursor cursor = request.cursor();
    if (cursor != null) {
      message.setCursor(cursor.text(request.target()));
    }
    return message.build();
  }

  private static WatchSubmissionResponse.Builder at(WatchTarget target, WatchPosition position) {
    WatchSubmissionResponse.Builder message =
        WatchSubmissionResponse.newBuilder().setCursor(WatchCursor.of(position).text(target));
    WatchPosition.Watched watched = position.submission();
    return watched == null ? message : message.setSubmissionId(watched.id().id());
  }
}

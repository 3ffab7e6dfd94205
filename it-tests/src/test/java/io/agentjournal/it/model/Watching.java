package io.agentjournal.it.model;

import com.google.protobuf.Message;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentRun;
import io.agentjournal.v1.StreamEnded;
import io.agentjournal.v1.StreamSegments;
import io.agentjournal.v1.WatchCaughtUp;
import io.agentjournal.v1.WatchEnd;
import io.agentjournal.v1.WatchEndReason;
import io.agentjournal.v1.WatchSubmissionRequest;
import io.agentjournal.v1.WatchSubmissionResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the contract says a watch tells of a submission until it has caught up: the events, and each
 * segment between those before and after which it was stored.
 */
final class Watching {
  private final World world;
  private final String submissionId;
  private final List<Message> told = new ArrayList<>();

  /** That is told of; null: none, or its end was told. */
  private @Nullable ModelStream stream;

  private long nextIndex;

  private Watching(World world, String submissionId) {
    this.world = world;
    this.submissionId = submissionId;
  }

  static Answer watch(World world, WatchSubmissionRequest request) {
    ModelSubmission submission = world.submission(request.getSubmissionId());
    Watching watching = new Watching(world, submission.id());
    submission.story.events().forEach(watching::tell);
    watching.tellStream(null);
    watching.tellEnd(submission.isSettled());
    return Answer.of(watching.told.toArray(new Message[0]));
  }

  private void tell(Story.Happened happened) {
    tellStream(happened.openIndex());
    tell(happened.event().toBuilder());
    if (happened.event().hasStreamOpened()) {
      stream = world.streams.get(happened.event().getStreamOpened().getStreamKey());
      nextIndex = 0;
    }
  }

  private void tell(WatchSubmissionResponse.Builder message) {
    told.add(message.setSubmissionId(submissionId).build());
  }

  /** Up to there; null: all that there is, and how it ended if it has. */
  private void tellStream(@Nullable Long upTo) {
    ModelStream here = stream;
    if (here == null) {
      return;
    }
    if (!here.isDeleted()) {
      long end = upTo == null ? here.nextIndex() : upTo;
      for (; nextIndex < end; nextIndex++) {
        tell(segment(here, here.segments.get((int) nextIndex)));
      }
    }
    if (upTo == null && !here.isOpen()) {
      stream = null;
      tell(
          WatchSubmissionResponse.newBuilder()
              .setAt(Told.TIME)
              .setStreamEnded(
                  StreamEnded.newBuilder()
                      .setStreamKey(here.told.getStreamKey())
                      .setState(here.told.getState())
                      .setFinishReason(here.told.getFinishReason())));
    }
  }

  private WatchSubmissionResponse.Builder segment(ModelStream of, Segment segment) {
    return WatchSubmissionResponse.newBuilder()
        .setSegments(
            StreamSegments.newBuilder()
                .setStreamKey(of.told.getStreamKey())
                .setRun(SegmentRun.newBuilder().setFirstIndex(nextIndex).addSegments(segment)));
  }

  private void tellEnd(boolean isSettled) {
    WatchSubmissionResponse.Builder end = WatchSubmissionResponse.newBuilder();
    if (isSettled) {
      tell(end.setEnd(WatchEnd.newBuilder().setReason(WatchEndReason.WATCH_END_REASON_SETTLED)));
    } else {
      tell(end.setCaughtUp(WatchCaughtUp.getDefaultInstance()));
    }
  }
}

package io.agentjournal.it.model;

import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.StatusChanged;
import io.agentjournal.v1.WatchSubmissionResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All that is stored under one namespace, as the contract says. */
final class World extends ModelState {
  final Map<String, ModelSession> sessions = new TreeMap<>();
  final Map<String, ModelSubmission> submissions = new TreeMap<>();
  final Map<String, ModelStream> streams = new TreeMap<>();

  /** What ClaimNextSubmission gave, by attempt id. */
  final Map<String, Given> given = new HashMap<>();

  /** What is left of submissions whose session was deleted. */
  final Map<String, Deletions.Kept> kept = new TreeMap<>();

  record Given(String submissionId, String owner) {}

  World copy() {
    World copy = new World();
    sessions.forEach((key, session) -> copy.sessions.put(key, session.copy()));
    submissions.forEach((id, submission) -> copy.submissions.put(id, submission.copy()));
    streams.forEach((key, stream) -> copy.streams.put(key, stream.copy()));
    copy.given.putAll(given);
    copy.kept.putAll(kept);
    return copy;
  }

  @Override
  List<Object> facts() {
    return List.of(sessions, submissions, streams, given, kept);
  }

  ModelSubmission submission(String id) {
    ModelSubmission submission = submissions.get(id);
    if (submission == null) {
      throw new Denied(ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND, "submission_id", id);
    }
    return submission;
  }

  ModelSession session(String key) {
    ModelSession session = sessions.get(key);
    if (session == null) {
      throw new Denied(ErrorReason.ERROR_REASON_SESSION_NOT_FOUND, "session_key", key);
    }
    return session;
  }

  ModelSession sessionOf(ModelSubmission submission) {
    return session(submission.told.getSessionKey());
  }

  ModelStream stream(String key) {
    ModelStream stream = streams.get(key);
    if (stream == null) {
      throw new Denied(ErrorReason.ERROR_REASON_STREAM_NOT_FOUND, "stream_key", key);
    }
    return stream;
  }

  /** The stream that the submission's slot names; null: it names none. */
  @Nullable ModelStream streamOf(ModelSubmission submission) {
    ModelTurn slot = submission.slot();
    return slot == null ? null : streams.get(slot.slot.getStreamKey());
  }

  /** Something happens to the submission, as those who watch it are told. */
  void tell(ModelSubmission submission, WatchSubmissionResponse.Builder event) {
    ModelStream stream = streamOf(submission);
    Long openIndex = stream != null && stream.isOpen() ? stream.nextIndex() : null;
    submission.story =
        submission.story.then(new Story.Happened(event.setAt(Told.TIME).build(), openIndex));
  }

  /** It is in another state. */
  void tellStatus(ModelSubmission submission, StatusChanged.Builder changed) {
    tell(
        submission,
        WatchSubmissionResponse.newBuilder()
            .setStatusChanged(changed.setStatus(submission.status())));
  }

  boolean isHead(ModelSubmission submission) {
    return submission.id().equals(sessionOf(submission).head());
  }

  /** It does not run, and may be claimed: its place, its time and its answers have come. */
  boolean isRunnable(ModelSubmission submission) {
    if (submission.isWaiting()) {
      List<ModelSubmission.ModelWait> asked =
          submission.waits.values().stream()
              .filter(wait -> wait.suspension() == submission.suspensions)
              .toList();
      boolean isOver =
          !asked.isEmpty() && asked.stream().allMatch(ModelSubmission.ModelWait::isOver);
      return isOver || submission.delay == ModelSubmission.Delay.OVER;
    }
    return !submission.isRunning()
        && !submission.isSettled()
        && isHead(submission)
        && submission.delay != ModelSubmission.Delay.AHEAD;
  }
}

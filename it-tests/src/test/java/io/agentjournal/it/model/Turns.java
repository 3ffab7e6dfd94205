package io.agentjournal.it.model;

import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.BeginTurnJournalResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.MarkStreamConsumedRequest;
import io.agentjournal.v1.MarkStreamConsumedResponse;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.StreamOpened;
import io.agentjournal.v1.StreamState;
import io.agentjournal.v1.TurnBegun;
import io.agentjournal.v1.TurnJournal;
import io.agentjournal.v1.TurnPhase;
import io.agentjournal.v1.UpdateTurnJournalPhaseRequest;
import io.agentjournal.v1.UpdateTurnJournalPhaseResponse;
import io.agentjournal.v1.WatchSubmissionResponse;
import org.jspecify.annotations.Nullable;

/** What the contract says of the slot, but for tools. */
final class Turns {
  private Turns() {}

  static Answer begin(World world, BeginTurnJournalRequest request) {
    ModelSubmission submission = world.submission(request.getAttempt().getSubmissionId());
    String attemptId = request.getAttempt().getAttemptId();
    ModelTurn known = submission.turns.get(request.getTurnId());
    boolean isRepeat = known != null && isRepeat(request, known);
    if (!isRepeat) {
      submission.requireHeldBy(attemptId);
      requireNew(request, submission);
      write(world, request, submission);
    }
    return told(BeginTurnJournalResponse.getDefaultInstance(), !isRepeat, submission);
  }

  private static boolean isRepeat(BeginTurnJournalRequest request, ModelTurn turn) {
    return turn.begunBy.equals(request.getAttempt().getAttemptId())
        && turn.slot.getOperationId().equals(request.getOperationId())
        && (!request.hasExpectedRevision()
            || request.getExpectedRevision() == turn.slot.getRevision() - 1)
        && (!request.hasStart() || isRepeat(request.getAttempt(), request.getStart(), turn));
  }

  private static boolean isRepeat(AttemptRef attempt, ProviderStart start, ModelTurn turn) {
    return turn.startedBy.equals(attempt.getAttemptId())
        && turn.slot.getStreamKey().equals(streamKey(attempt, turn.id(), start))
        && turn.contentType.equals(start.getContentType());
  }

  static String streamKey(AttemptRef attempt, String turnId, ProviderStart start) {
    return start.getStreamKey().isEmpty()
        ? attempt.getSubmissionId() + ":" + turnId + ":" + attempt.getAttemptId()
        : start.getStreamKey();
  }

  private static void requireNew(BeginTurnJournalRequest request, ModelSubmission submission) {
    if (submission.turns.containsKey(request.getTurnId())) {
      throw new Denied(ErrorReason.ERROR_REASON_TURN_USED, "turn_id", request.getTurnId());
    }
    long revision = submission.turns.size();
    if (request.hasExpectedRevision() && request.getExpectedRevision() != revision) {
      throw new Denied(ErrorReason.ERROR_REASON_REVISION_MOVED, "revision", revision);
    }
  }

  private static void write(
      World world, BeginTurnJournalRequest request, ModelSubmission submission) {
    ModelStream replaced = world.streamOf(submission);
    if (replaced != null && replaced.isOpen()) {
      replaced.end(StreamState.STREAM_STATE_SUPERSEDED, "");
    }
    Submissions.applyInput(submission, request.getAttempt().getAttemptId());
    ModelTurn begun =
        new ModelTurn(
            TurnJournal.newBuilder()
                .setSubmissionId(submission.id())
                .setSessionKey(submission.told.getSessionKey())
                .setKind(submission.told.getKind())
                .setOperationId(request.getOperationId())
                .setTurnId(request.getTurnId())
                .setAttemptId(request.getAttempt().getAttemptId())
                .setPhase(TurnPhase.TURN_PHASE_BEFORE_PROVIDER)
                .setRevision(submission.turns.size() + 1)
                .setCreatedAt(Told.TIME)
                .setUpdatedAt(Told.TIME)
                .build());
    submission.turns.put(begun.id(), begun);
    world.tell(
        submission,
        WatchSubmissionResponse.newBuilder()
            .setTurnBegun(
                TurnBegun.newBuilder()
                    .setTurnId(begun.id())
                    .setOperationId(request.getOperationId())
                    .setRevision(begun.slot.getRevision())));
    if (request.hasStart()) {
      start(world, submission, begun, request.getAttempt(), request.getStart());
    }
  }

  private static void start(
      World world,
      ModelSubmission submission,
      ModelTurn turn,
      AttemptRef attempt,
      ProviderStart start) {
    String key = streamKey(attempt, turn.id(), start);
    Streams.open(world, submission, turn, key, start.getContentType());
    turn.startedBy = attempt.getAttemptId();
    turn.contentType = start.getContentType();
    turn.slot =
        turn.slot.toBuilder()
            .setStreamKey(key)
            .setPhase(TurnPhase.TURN_PHASE_PROVIDER_STARTED)
            .build();
    world.tell(
        submission,
        WatchSubmissionResponse.newBuilder()
            .setStreamOpened(
                StreamOpened.newBuilder()
                    .setTurnId(turn.id())
                    .setStreamKey(key)
                    .setContentType(start.getContentType())));
  }

  static Answer update(World world, UpdateTurnJournalPhaseRequest request) {
    ModelSubmission submission = world.submission(request.getAttempt().getSubmissionId());
    boolean applied;
    if (request.hasProviderStarted()) {
      ModelTurn known = submission.turns.get(request.getTurnId());
      applied =
          known == null || !isRepeat(request.getAttempt(), request.getProviderStarted(), known);
      if (applied) {
        ModelTurn turn =
            require(
                submission,
                request.getAttempt(),
                request.getTurnId(),
                TurnPhase.TURN_PHASE_BEFORE_PROVIDER);
        start(world, submission, turn, request.getAttempt(), request.getProviderStarted());
      }
    } else {
      applied = Tools.record(world, submission, request);
    }
    return told(UpdateTurnJournalPhaseResponse.getDefaultInstance(), applied, submission);
  }

  /** The write token, then the turn, then the phase. */
  static ModelTurn require(
      ModelSubmission submission, AttemptRef attempt, String turnId, TurnPhase... phases) {
    submission.requireHeldBy(attempt.getAttemptId());
    ModelTurn turn = submission.turns.get(turnId);
    if (turn == null) {
      throw new Denied(ErrorReason.ERROR_REASON_TURN_NOT_FOUND, "turn_id", turnId);
    }
    if (turn.isCommitted()) {
      throw new Denied(ErrorReason.ERROR_REASON_TURN_COMMITTED, "turn_id", turnId);
    }
    if (turn.slot.getRevision() != submission.turns.size()) {
      throw new Denied(ErrorReason.ERROR_REASON_ILLEGAL_PHASE, "phase", "superseded");
    }
    for (TurnPhase phase : phases) {
      if (turn.phase() == phase) {
        return turn;
      }
    }
    throw new Denied(ErrorReason.ERROR_REASON_ILLEGAL_PHASE);
  }

  static Answer consume(World world, MarkStreamConsumedRequest request) {
    ModelSubmission submission = world.submission(request.getAttempt().getSubmissionId());
    ModelTurn known = submission.turns.get(request.getTurnId());
    boolean isRepeat =
        known != null
            && known.consumedBy.equals(request.getAttempt().getAttemptId())
            && known.slot.getStreamKey().equals(request.getStreamKey())
            && Streams.hasSegments(
                world,
                request.getStreamKey(),
                request.hasExpectedNextIndex(),
                request.getExpectedNextIndex());
    if (!isRepeat) {
      ModelTurn turn =
          require(
              submission,
              request.getAttempt(),
              request.getTurnId(),
              TurnPhase.TURN_PHASE_PROVIDER_STARTED);
      if (!turn.slot.getStreamKey().equals(request.getStreamKey())) {
        throw new Denied(ErrorReason.ERROR_REASON_STREAM_NOT_FOUND);
      }
      if (!turn.consumedBy.isEmpty()) {
        throw new Denied(ErrorReason.ERROR_REASON_ILLEGAL_PHASE);
      }
      Streams.complete(
          world.stream(request.getStreamKey()),
          request.hasExpectedNextIndex(),
          request.getExpectedNextIndex());
      turn.consumedBy = request.getAttempt().getAttemptId();
      turn.slot = turn.slot.toBuilder().setStreamConsumedAt(Told.TIME).build();
    }
    return told(MarkStreamConsumedResponse.getDefaultInstance(), !isRepeat, submission);
  }

  static @Nullable TurnJournal journal(ModelSubmission submission) {
    ModelTurn slot = submission.slot();
    return slot == null ? null : slot.slot;
  }

  private static Answer told(
      com.google.protobuf.Message type, boolean applied, ModelSubmission submission) {
    return Told.of(type, "applied", applied, "journal", journal(submission));
  }
}

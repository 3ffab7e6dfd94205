package io.agentjournal.it.model;

import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.CommitTurnJournalResponse;
import io.agentjournal.v1.StreamState;
import io.agentjournal.v1.TurnCommitted;
import io.agentjournal.v1.TurnPhase;
import io.agentjournal.v1.WatchSubmissionResponse;
import org.jspecify.annotations.Nullable;

/** What the contract says of the end of a turn. */
final class Commits {
  private Commits() {}

  static Answer commit(World world, CommitTurnJournalRequest request) {
    ModelSubmission submission = world.submission(request.getAttempt().getSubmissionId());
    ModelSession session = world.sessionOf(submission);
    Transcript.Added added =
        Transcript.Added.by(
            request.getAttempt(),
            request.getEntriesList(),
            request.hasExpectedLeafId() ? request.getExpectedLeafId() : null,
            request.getTurnId());
    boolean isRepeat = isRepeat(world, request, submission, session, added);
    if (!isRepeat) {
      ModelTurn turn =
          Turns.require(
              submission,
              request.getAttempt(),
              request.getTurnId(),
              TurnPhase.TURN_PHASE_PROVIDER_STARTED,
              TurnPhase.TURN_PHASE_TOOL_REQUEST_RECORDED);
      Transcript.append(session, added);
      commit(world, request, turn, session);
      world.tell(
          submission,
          WatchSubmissionResponse.newBuilder()
              .setTurnCommitted(
                  TurnCommitted.newBuilder()
                      .setTurnId(turn.id())
                      .setCommittedLeafId(turn.slot.getCommittedLeafId())));
      if (request.hasSettle()) {
        Endings.settle(world, submission, request.getSettle(), request.getAttempt());
      }
    }
    return Told.of(
        CommitTurnJournalResponse.getDefaultInstance(),
        "applied",
        !isRepeat,
        "journal",
        Turns.journal(submission),
        "submission",
        request.hasSettle() ? submission.view() : null);
  }

  private static boolean isRepeat(
      World world,
      CommitTurnJournalRequest request,
      ModelSubmission submission,
      ModelSession session,
      Transcript.Added added) {
    ModelTurn turn = submission.turns.get(request.getTurnId());
    if (turn == null || !turn.committedBy.equals(request.getAttempt().getAttemptId())) {
      return false;
    }
    String leafId = wantedLeaf(request);
    return turn.slot.getFinal() == request.getFinal()
        && (leafId == null || leafId.equals(turn.slot.getCommittedLeafId()))
        && Streams.hasSegments(
            world,
            turn.slot.getStreamKey(),
            request.hasExpectedNextIndex(),
            request.getExpectedNextIndex())
        && (!request.hasSettle()
            || Endings.isSettledBy(submission, request.getAttempt(), request.getSettle()))
        && Transcript.hasAll(session, added);
  }

  private static @Nullable String wantedLeaf(CommitTurnJournalRequest request) {
    if (request.hasCommittedLeafId()) {
      return request.getCommittedLeafId();
    }
    int count = request.getEntriesCount();
    return count == 0 ? null : request.getEntries(count - 1).getEntryId();
  }

  private static void commit(
      World world, CommitTurnJournalRequest request, ModelTurn turn, ModelSession session) {
    String leafId = wantedLeaf(request);
    if (leafId != null) {
      Transcript.requireEntry(session, leafId);
    }
    turn.slot =
        turn.slot.toBuilder()
            .setPhase(TurnPhase.TURN_PHASE_COMMITTED)
            .setCommittedLeafId(leafId == null ? session.leafId : leafId)
            .setFinal(request.getFinal())
            .build();
    turn.committedBy = request.getAttempt().getAttemptId();
    ModelStream stream = world.stream(turn.slot.getStreamKey());
    Streams.requireSegments(stream, request.hasExpectedNextIndex(), request.getExpectedNextIndex());
    if (stream.isOpen()) {
      stream.end(StreamState.STREAM_STATE_COMPLETE, "");
    }
  }
}

package io.agentjournal.turn;

import io.agentjournal.event.Event;
import io.agentjournal.event.EventRows;
import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.SegmentsMissing;
import io.agentjournal.segment.Head;
import io.agentjournal.segment.StreamHeads;
import io.agentjournal.segment.StreamState;
import io.agentjournal.slot.Phase;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.slot.SlotTransitionRows;
import io.agentjournal.slot.TurnFacts;
import io.agentjournal.submission.Settlement;
import io.agentjournal.submission.SettlementStore;
import io.agentjournal.submission.Submission;
import io.agentjournal.submission.SubmissionStore;
import io.agentjournal.transcript.LockedSession;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** CommitTurnJournal, inside a caller's transaction. Stateless and thread-safe. */
final class CommitStore {
  private final TurnTranscriptStore transcript;
  private final LockedTurnRows locks;
  private final SlotRows slots;
  private final StreamHeads streams;
  private final SettlementStore settlements;
  private final SubmissionStore submissions;
  private final SlotTransitionRows transitions = new SlotTransitionRows();
  private final EventRows events = new EventRows();

  CommitStore(
      TurnTranscriptStore transcript,
      LockedTurnRows locks,
      SlotRows slots,
      StreamHeads streams,
      SettlementStore settlements,
      SubmissionStore submissions) {
    this.transcript = transcript;
    this.locks = locks;
    this.slots = slots;
    this.streams = streams;
    this.settlements = settlements;
    this.submissions = submissions;
  }

  /**
   * The answer.
   *
   * @param submission null: the call did not settle it
   */
  record Committed(Changed changed, @Nullable Submission submission) {}

  Committed commit(Connection connection, CommitTurn call) throws SQLException {
    SubmissionId id = call.attempt().submission();
    LockedSession session = transcript.lock(connection, id);
    LockedTurn locked =
        call.settlement() == null
            ? locks.lock(connection, call.attempt(), call.turnId())
            : locks.lockWithSubmission(connection, call.attempt(), call.turnId());
    boolean repeat = isRepeat(connection, call, session, locked);
    if (!repeat) {
      Slot slot = locked.require(Phase.PROVIDER_STARTED, Phase.TOOL_REQUEST_RECORDED);
      write(connection, call, session, slot);
      settle(connection, call, locked);
    }
    return new Committed(
        new Changed(!repeat, slots.requireJournal(connection, id)),
        call.settlement() == null ? null : submissions.require(connection, id));
  }

  private boolean isRepeat(
      Connection connection, CommitTurn call, LockedSession session, LockedTurn locked)
      throws SQLException {
    TurnFacts turn = locked.turn();
    Settlement settlement = call.settlement();
    return turn != null
        && call.matches(turn.committed())
        && (settlement == null || locked.submission().wasSettledBy(call.attempt(), settlement))
        && streams.hasSegments(
            connection, turn.requireStreamKey(call.attempt()), call.expectedNextIndex())
        && transcript.hasAll(connection, session, call.entries());
  }

  private void write(Connection connection, CommitTurn call, LockedSession session, Slot slot)
      throws SQLException {
    String lastId = transcript.append(connection, session, call.entries()).lastId();
    String leafId = transcript.leaf(connection, session, call.committedLeafId(), lastId);
    transitions.commit(
        connection,
        slot.submission(),
        new TurnFacts.Committed(call.attempt().id(), leafId, call.isFinal()));
    complete(connection, slot.requireStreamKey(), call.expectedNextIndex());
    events.append(
        connection, slot.submission(), new Event.TurnCommitted(slot.turn().turnId(), leafId));
  }

  /** A stream that has ended stays as it is: a partial response may well be what is committed. */
  private void complete(Connection connection, StreamKey stream, @Nullable Long expectedNextIndex)
      throws SQLException {
    Head head = streams.lock(connection, stream);
    if (head == null) {
      if (expectedNextIndex != null) {
        throw new SegmentsMissing(stream.key(), expectedNextIndex, 0);
      }
      return;
    }
    streams.requireSegments(stream, head, expectedNextIndex);
    if (head.state() == StreamState.OPEN) {
      streams.end(connection, stream, head, StreamState.COMPLETE, null);
    }
  }

  private void settle(Connection connection, CommitTurn call, LockedTurn locked)
      throws SQLException {
    if (call.settlement() != null) {
      settlements.settleLocked(
          connection,
          locked.submission(),
          slots.find(connection, call.attempt().submission()),
          call.settlement(),
          call.attempt().id());
    }
  }
}

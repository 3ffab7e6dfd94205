package io.agentjournal.turn;

import com.google.protobuf.ByteString;
import io.agentjournal.event.Event;
import io.agentjournal.event.EventRows;
import io.agentjournal.key.StreamKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.StreamNotFound;
import io.agentjournal.segment.Head;
import io.agentjournal.segment.StreamHeads;
import io.agentjournal.slot.Phase;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.slot.SlotTransitionRows;
import io.agentjournal.slot.ToolCallTransitionRows;
import io.agentjournal.slot.TurnFacts;
import io.agentjournal.slot.TurnJournal;
import io.agentjournal.transcript.LockedSession;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * UpdateTurnJournalPhase to tool_request_recorded, inside a caller's transaction. Stateless and
 * thread-safe.
 */
final class ToolRequestStore {
  private final TurnTranscriptStore transcript;
  private final LockedTurnRows locks;
  private final SlotRows slots;
  private final StreamHeads streams;
  private final SlotTransitionRows transitions = new SlotTransitionRows();
  private final ToolCallTransitionRows calls = new ToolCallTransitionRows();
  private final EventRows events = new EventRows();

  ToolRequestStore(
      TurnTranscriptStore transcript, LockedTurnRows locks, SlotRows slots, StreamHeads streams) {
    this.transcript = transcript;
    this.locks = locks;
    this.slots = slots;
    this.streams = streams;
  }

  Changed record(Connection connection, ToolRequest call) throws SQLException {
    SubmissionId submission = call.attempt().submission();
    LockedSession session = transcript.lock(connection, submission);
    LockedTurn locked = locks.lock(connection, call.attempt(), call.turnId());
    ByteString callsSha256 = call.callsSha256();
    TurnFacts turn = locked.turn();
    boolean repeat =
        turn != null
            && call.matches(turn.requested(), callsSha256)
            && streams.hasSegments(
                connection, turn.requireStreamKey(call.attempt()), call.expectedNextIndex())
            && transcript.hasAll(connection, session, call.entries());
    if (!repeat) {
      Slot slot = locked.require(Phase.PROVIDER_STARTED);
      write(connection, call, callsSha256, session, slot);
    }
    TurnJournal journal = slots.requireJournal(connection, submission);
    if (!repeat) {
      events.append(
          connection, submission, new Event.ToolCallsChanged(call.turnId(), journal.calls()));
    }
    return new Changed(!repeat, journal);
  }

  private void write(
      Connection connection,
      ToolRequest call,
      ByteString callsSha256,
      LockedSession session,
      Slot slot)
      throws SQLException {
    String checkpoint =
        transcript.leaf(connection, session, call.checkpointLeafId(), session.leafId());
    String requestLeaf = transcript.append(connection, session, call.entries()).lastId();
    transitions.request(
        connection,
        slot.submission(),
        new TurnFacts.Requested(call.attempt().id(), callsSha256, checkpoint, requestLeaf));
    calls.insert(connection, call.attempt(), call.turnId(), call.calls());
    StreamKey stream = slot.requireStreamKey();
    Head head = streams.lock(connection, stream);
    if (head == null) {
      throw new StreamNotFound(stream.key());
    }
    streams.complete(connection, stream, head, call.expectedNextIndex());
  }
}

package io.agentjournal.turn;

import io.agentjournal.refusal.Refusal.IllegalPhase;
import io.agentjournal.refusal.Refusal.StreamNotFound;
import io.agentjournal.segment.Head;
import io.agentjournal.segment.StreamHeads;
import io.agentjournal.slot.Phase;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.slot.SlotTransitionRows;
import java.sql.Connection;
import java.sql.SQLException;

/** MarkStreamConsumed, inside a caller's transaction. Stateless and thread-safe. */
final class ConsumeStore {
  private final LockedTurnRows locks;
  private final SlotRows slots;
  private final StreamHeads streams;
  private final SlotTransitionRows transitions = new SlotTransitionRows();

  ConsumeStore(LockedTurnRows locks, SlotRows slots, StreamHeads streams) {
    this.locks = locks;
    this.slots = slots;
    this.streams = streams;
  }

  Changed consume(Connection connection, ConsumeStream call) throws SQLException {
    LockedTurn locked = locks.lock(connection, call.attempt(), call.turnId());
    boolean repeat =
        call.repeats(locked.turn())
            && streams.hasSegments(connection, call.stream(), call.expectedNextIndex());
    if (!repeat) {
      Slot slot = locked.require(Phase.PROVIDER_STARTED);
      requireUnstamped(slot, call);
      transitions.consume(connection, slot.submission(), call.consumed());
      complete(connection, call);
    }
    return new Changed(!repeat, slots.requireJournal(connection, call.attempt().submission()));
  }

  private static void requireUnstamped(Slot slot, ConsumeStream call) {
    if (!call.namesStreamOf(slot.turn())) {
      throw new StreamNotFound(call.stream().key());
    }
    if (slot.turn().consumed() != null) {
      throw new IllegalPhase("stream_consumed", slot.phase().stored());
    }
  }

  private void complete(Connection connection, ConsumeStream call) throws SQLException {
    Head head = streams.lock(connection, call.stream());
    if (head == null) {
      throw new StreamNotFound(call.stream().key());
    }
    streams.complete(connection, call.stream(), head, call.expectedNextIndex());
  }
}

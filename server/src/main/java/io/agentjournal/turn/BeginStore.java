package io.agentjournal.turn;

import io.agentjournal.event.Event;
import io.agentjournal.event.EventRows;
import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.RevisionMoved;
import io.agentjournal.refusal.Refusal.TurnUsed;
import io.agentjournal.segment.StreamHeads;
import io.agentjournal.segment.StreamState;
import io.agentjournal.slot.Phase;
import io.agentjournal.slot.Slot;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.slot.SlotTransitionRows;
import io.agentjournal.slot.TurnFacts;
import io.agentjournal.submission.InputStore;
import io.agentjournal.submission.Standing;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Begins turns and asks the model, inside a caller's transaction. Stateless and thread-safe. */
final class BeginStore {
  private final LockedTurnRows locks;
  private final SlotRows slots;
  private final InputStore inputs;
  private final StreamHeads streams;
  private final SlotTransitionRows transitions = new SlotTransitionRows();
  private final EventRows events = new EventRows();

  BeginStore(LockedTurnRows locks, SlotRows slots, InputStore inputs, StreamHeads streams) {
    this.locks = locks;
    this.slots = slots;
    this.inputs = inputs;
    this.streams = streams;
  }

  /**
   * BeginTurnJournal. The submission's row is locked against everybody: of two first turns that
   * begin side by side neither would find a slot to lock.
   */
  Changed begin(Connection connection, BeginTurn call) throws SQLException {
    LockedTurn locked = locks.lockWithSubmission(connection, call.attempt(), call.turnId());
    boolean repeat = call.repeats(locked.turn());
    if (!repeat) {
      Standing submission = locked.submission().requireHeldBy(call.attempt());
      requireNew(call, locked.slot(), locked.turn());
      write(connection, call, submission, locked.slot());
    }
    return new Changed(!repeat, slots.requireJournal(connection, call.attempt().submission()));
  }

  /** UpdateTurnJournalPhase to provider_started. */
  Changed start(Connection connection, ProviderStart call) throws SQLException {
    LockedTurn locked = locks.lock(connection, call.attempt(), call.turnId());
    boolean repeat = call.repeats(locked.turn());
    if (!repeat) {
      locked.require(Phase.BEFORE_PROVIDER);
      write(connection, call, locked.submission());
    }
    return new Changed(!repeat, slots.requireJournal(connection, call.attempt().submission()));
  }

  private static void requireNew(BeginTurn call, @Nullable Slot slot, @Nullable TurnFacts turn) {
    if (slot != null && turn != null) {
      throw new TurnUsed(call.turnId(), slot.turn().turnId());
    }
    long revision = slot == null ? 0 : slot.turn().revision();
    if (call.expectedRevision() != null && call.expectedRevision() != revision) {
      throw new RevisionMoved(call.expectedRevision(), revision);
    }
  }

  private void write(
      Connection connection, BeginTurn call, Standing submission, @Nullable Slot replaced)
      throws SQLException {
    if (!submission.isInputApplied()) {
      inputs.markApplied(connection, call.attempt());
    }
    transitions.begin(
        connection,
        submission.id(),
        submission.session(),
        submission.kind().name(),
        call.turnId(),
        call.begun(),
        call.traceparent());
    StreamKey abandoned = replaced == null ? null : replaced.streamKey();
    if (abandoned != null) {
      streams.endIfOpen(connection, abandoned, StreamState.SUPERSEDED, null);
    }
    long revision = replaced == null ? 1 : replaced.turn().revision() + 1;
    events.append(
        connection,
        submission.id(),
        new Event.TurnBegun(call.turnId(), call.operationId(), revision));
    ProviderStart start = call.start();
    if (start != null) {
      write(connection, start, submission);
    }
  }

  private void write(Connection connection, ProviderStart start, Standing submission)
      throws SQLException {
    transitions.start(connection, submission.id(), start.started());
    streams.openBound(
        connection,
        start.stream(),
        start.attempt(),
        start.turnId(),
        start.contentType(),
        submission.isAbortRequested());
    events.append(
        connection,
        submission.id(),
        new Event.StreamOpened(start.turnId(), start.stream(), start.contentType()));
  }
}

package io.agentjournal.turn;

import io.agentjournal.event.Event;
import io.agentjournal.event.EventRows;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.IllegalPhase;
import io.agentjournal.refusal.Refusal.ToolCallNotFound;
import io.agentjournal.refusal.Refusal.ToolResultConflict;
import io.agentjournal.slot.Phase;
import io.agentjournal.slot.SlotRows;
import io.agentjournal.slot.ToolCall;
import io.agentjournal.slot.ToolCallRows;
import io.agentjournal.slot.ToolCallTransitionRows;
import io.agentjournal.slot.TurnJournal;
import io.agentjournal.transcript.LockedSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * UpdateToolCalls, inside a caller's transaction:
 *
 * <ol>
 *   <li>a start is only for who holds the submission, also when it is a repeat: a runtime that was
 *       replaced meanwhile must not go on to run the tool;
 *   <li>what the attempt has recorded before is left as it is; when that is all, the call is a
 *       repeat;
 *   <li>the rest is judged call by call and written, the results' entries in one append.
 * </ol>
 *
 * Stateless and thread-safe.
 */
final class ToolCallStore {
  private static final long NO_ARGUMENTS = -1;

  private final TurnTranscriptStore transcript;
  private final LockedTurnRows locks;
  private final SlotRows slots;
  private final ToolCallRows calls = new ToolCallRows();
  private final ToolCallTransitionRows transitions = new ToolCallTransitionRows();
  private final EventRows events = new EventRows();

  ToolCallStore(TurnTranscriptStore transcript, LockedTurnRows locks, SlotRows slots) {
    this.transcript = transcript;
    this.locks = locks;
    this.slots = slots;
  }

  /**
   * The answer.
   *
   * @param leafId the session's leaf; null: it has none, or the call had no result
   */
  record Updated(Changed changed, @Nullable String leafId) {}

  Updated update(Connection connection, ToolCallUpdates call) throws SQLException {
    SubmissionId submission = call.attempt().submission();
    LockedSession session = call.hasResult() ? transcript.lock(connection, submission) : null;
    LockedTurn locked = locks.lock(connection, call.attempt(), call.turnId());
    if (call.hasStart()) {
      locked.submission().requireHeldBy(call.attempt());
    }
    Map<String, ToolCall> stored = stored(connection, call, locked);
    List<ToolCallUpdate> open = notRecorded(connection, call, stored, session);
    List<ToolCallUpdate> changes = List.of();
    if (!open.isEmpty()) {
      locked.require(Phase.TOOL_REQUEST_RECORDED);
      changes = judged(connection, call, open, stored, session);
      session = write(connection, call, changes, session);
    }
    TurnJournal journal = slots.requireJournal(connection, submission);
    if (!changes.isEmpty()) {
      events.append(connection, submission, changed(call.turnId(), changes, journal));
    }
    return new Updated(
        new Changed(!changes.isEmpty(), journal), session == null ? null : session.leafId());
  }

  private static Event changed(String turnId, List<ToolCallUpdate> changes, TurnJournal journal) {
    Set<String> ids = changes.stream().map(ToolCallUpdate::toolCallId).collect(Collectors.toSet());
    return new Event.ToolCallsChanged(
        turnId, journal.calls().stream().filter(call -> ids.contains(call.toolCallId())).toList());
  }

  private Map<String, ToolCall> stored(
      Connection connection, ToolCallUpdates call, LockedTurn locked) throws SQLException {
    if (locked.turn() == null) {
      return Map.of();
    }
    return calls.list(connection, call.attempt().submission(), call.turnId(), NO_ARGUMENTS).stream()
        .collect(Collectors.toMap(ToolCall::toolCallId, Function.identity()));
  }

  private List<ToolCallUpdate> notRecorded(
      Connection connection,
      ToolCallUpdates call,
      Map<String, ToolCall> stored,
      @Nullable LockedSession session)
      throws SQLException {
    List<ToolCallUpdate> open = new ArrayList<>();
    for (ToolCallUpdate update : call.updates()) {
      ToolCall before = stored.get(update.toolCallId());
      boolean recorded =
          before != null
              && update.wasRecordedBy(call.attempt().id(), before)
              && hasEntry(connection, call, update, session);
      if (!recorded) {
        open.add(update);
      }
    }
    return open;
  }

  private boolean hasEntry(
      Connection connection,
      ToolCallUpdates call,
      ToolCallUpdate update,
      @Nullable LockedSession session)
      throws SQLException {
    return session == null
        || transcript.hasAll(connection, session, call.entriesOf(List.of(update)));
  }

  /** Those of the updates that change something. */
  private List<ToolCallUpdate> judged(
      Connection connection,
      ToolCallUpdates call,
      List<ToolCallUpdate> open,
      Map<String, ToolCall> stored,
      @Nullable LockedSession session)
      throws SQLException {
    List<ToolCallUpdate> changes = new ArrayList<>();
    for (ToolCallUpdate update : open) {
      ToolCall before = stored.get(update.toolCallId());
      if (before == null) {
        throw new ToolCallNotFound(call.turnId(), update.toolCallId());
      }
      if (update.result() == null) {
        requireStartable(before);
        changes.add(update);
      } else if (before.state() != ToolCall.State.RESULT) {
        changes.add(update);
      } else if (!update.isResultOf(before) || !hasEntry(connection, call, update, session)) {
        throw new ToolResultConflict(call.turnId(), update.toolCallId());
      }
    }
    return changes;
  }

  /** A call that was started may be started again only if it was declared so. */
  private static void requireStartable(ToolCall call) {
    boolean again = call.state() == ToolCall.State.STARTED && call.restartSafe();
    if (call.state() != ToolCall.State.RECORDED && !again) {
      throw new IllegalPhase(
          "tool call " + call.state().name().toLowerCase(java.util.Locale.ROOT),
          "tool call recorded");
    }
  }

  private @Nullable LockedSession write(
      Connection connection,
      ToolCallUpdates call,
      List<ToolCallUpdate> changes,
      @Nullable LockedSession session)
      throws SQLException {
    for (ToolCallUpdate update : changes) {
      ToolCallUpdate.Result result = update.result();
      if (result == null) {
        transitions.start(connection, call.attempt(), call.turnId(), update.toolCallId());
      } else {
        transitions.end(
            connection,
            call.attempt(),
            call.turnId(),
            update.toolCallId(),
            result.kind(),
            result.entry().entryId());
      }
    }
    return session == null
        ? null
        : transcript.append(connection, session, call.entriesOf(changes)).session();
  }
}

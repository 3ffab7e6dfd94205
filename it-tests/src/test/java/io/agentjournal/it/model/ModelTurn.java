package io.agentjournal.it.model;

import io.agentjournal.v1.NewToolCall;
import io.agentjournal.v1.ToolCall;
import io.agentjournal.v1.Turn;
import io.agentjournal.v1.TurnJournal;
import io.agentjournal.v1.TurnPhase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A turn, in the slot or before it; and who made each of its transitions. */
final class ModelTurn extends ModelState {
  TurnJournal slot;
  final String begunBy;
  String startedBy = "";
  String contentType = "";
  String consumedBy = "";
  String requestedBy = "";
  List<NewToolCall> request = List.of();
  String committedBy = "";
  final Map<String, String> resultBy;

  ModelTurn(TurnJournal begun) {
    this.slot = begun;
    this.begunBy = begun.getAttemptId();
    this.resultBy = new HashMap<>();
  }

  private ModelTurn(ModelTurn other) {
    this.slot = other.slot;
    this.begunBy = other.begunBy;
    this.startedBy = other.startedBy;
    this.contentType = other.contentType;
    this.consumedBy = other.consumedBy;
    this.requestedBy = other.requestedBy;
    this.request = other.request;
    this.committedBy = other.committedBy;
    this.resultBy = new HashMap<>(other.resultBy);
  }

  ModelTurn copy() {
    return new ModelTurn(this);
  }

  @Override
  List<Object> facts() {
    return List.of(
        slot,
        begunBy,
        startedBy,
        contentType,
        consumedBy,
        requestedBy,
        request,
        committedBy,
        resultBy);
  }

  String id() {
    return slot.getTurnId();
  }

  TurnPhase phase() {
    return slot.getPhase();
  }

  boolean isCommitted() {
    return phase() == TurnPhase.TURN_PHASE_COMMITTED;
  }

  @Nullable ToolCall call(String id) {
    return slot.getCallsList().stream()
        .filter(call -> call.getToolCallId().equals(id))
        .findFirst()
        .orElse(null);
  }

  /** Puts a call in the place of the one with its id. */
  void set(ToolCall changed) {
    for (int i = 0; i < slot.getCallsCount(); i++) {
      if (slot.getCalls(i).getToolCallId().equals(changed.getToolCallId())) {
        slot = slot.toBuilder().setCalls(i, changed).build();
      }
    }
  }

  /** As ListTurns shows it. */
  Turn listed() {
    Turn.Builder turn =
        Turn.newBuilder()
            .setTurnId(id())
            .setOperationId(slot.getOperationId())
            .setRevision(slot.getRevision())
            .setAttemptId(begunBy)
            .setPhase(phase())
            .setStreamKey(slot.getStreamKey())
            .setCommittedLeafId(slot.getCommittedLeafId())
            .setBegunAt(Told.TIME);
    return isCommitted() ? turn.setCommittedAt(Told.TIME).build() : turn.build();
  }
}

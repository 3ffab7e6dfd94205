package io.agentjournal.turn;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.rpc.Traceparent;
import io.agentjournal.slot.NewToolCall;
import io.agentjournal.submission.SubmissionRequests;
import io.agentjournal.transcript.EntryMessages;
import io.agentjournal.transcript.NewEntries;
import io.agentjournal.transcript.NewEntry;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.MarkStreamConsumedRequest;
import io.agentjournal.v1.ReplaceTurnJournalAttemptRequest;
import io.agentjournal.v1.ToolResultKind;
import io.agentjournal.v1.UpdateToolCallsRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What callers send about turns, checked. Ids are of the namespace of the call. */
final class TurnRequests {
  private TurnRequests() {}

  static BeginTurn begin(BeginTurnJournalRequest request) {
    AttemptId attempt = SubmissionRequests.attempt(request.getAttempt());
    return new BeginTurn(
        attempt,
        request.getTurnId(),
        request.getOperationId(),
        request.hasExpectedRevision()
            ? notNegative("expected_revision", request.getExpectedRevision())
            : null,
        request.hasStart() ? start(attempt, request.getTurnId(), request.getStart()) : null,
        Traceparent.current());
  }

  static ProviderStart start(
      AttemptId attempt, String turnId, io.agentjournal.v1.ProviderStart start) {
    Identifier.check("turn_id", turnId);
    StreamKey stream =
        start.getStreamKey().isEmpty()
            ? StreamKey.ofTurn(attempt, turnId)
            : new StreamKey(attempt.namespace(), start.getStreamKey());
    return new ProviderStart(attempt, turnId, stream, start.getContentType());
  }

  static ToolRequest toolRequest(
      AttemptId attempt, String turnId, io.agentjournal.v1.ToolRequest request) {
    Identifier.check("turn_id", turnId);
    return new ToolRequest(
        attempt,
        turnId,
        request.getCallsList().stream().map(call -> call(attempt, turnId, call)).toList(),
        request.hasCheckpointLeafId()
            ? leaf("checkpoint_leaf_id", request.getCheckpointLeafId())
            : null,
        entries(
            request.getEntriesList(),
            request.hasExpectedLeafId() ? request.getExpectedLeafId() : null,
            attempt,
            turnId),
        request.hasExpectedNextIndex()
            ? notNegative("expected_next_index", request.getExpectedNextIndex())
            : null);
  }

  private static NewToolCall call(
      AttemptId attempt, String turnId, io.agentjournal.v1.NewToolCall call) {
    String id = Identifier.check("tool_call_id", call.getToolCallId());
    return new NewToolCall(
        id,
        Identifier.check("name", call.getName()),
        call.getArguments(),
        call.getRestartSafe(),
        call.getIdempotencyKey().isEmpty()
            ? Identifier.joined(attempt.submission().id(), turnId, id)
            : Identifier.check("idempotency_key", call.getIdempotencyKey()));
  }

  static ConsumeStream consume(MarkStreamConsumedRequest request) {
    AttemptId attempt = SubmissionRequests.attempt(request.getAttempt());
    return new ConsumeStream(
        attempt,
        request.getTurnId(),
        new StreamKey(attempt.namespace(), request.getStreamKey()),
        request.hasExpectedNextIndex()
            ? notNegative("expected_next_index", request.getExpectedNextIndex())
            : null);
  }

  static ToolCallUpdates toolCalls(UpdateToolCallsRequest request) {
    return new ToolCallUpdates(
        SubmissionRequests.attempt(request.getAttempt()),
        request.getTurnId(),
        request.getUpdatesList().stream().map(TurnRequests::update).toList(),
        request.hasExpectedLeafId() ? request.getExpectedLeafId() : null);
  }

  private static ToolCallUpdate update(io.agentjournal.v1.ToolCallUpdate update) {
    String id = Identifier.check("tool_call_id", update.getToolCallId());
    return switch (update.getUpdateCase()) {
      case STARTED -> new ToolCallUpdate(id, null);
      case RESULT -> {
        NewEntry entry = EntryMessages.from(update.getResult().getEntry());
        yield new ToolCallUpdate(
            id,
            new ToolCallUpdate.Result(kind(update.getResult().getKind()), entry.asResultOf(id)));
      }
      case UPDATE_NOT_SET -> throw InvalidField.because("updates.update", "missing");
    };
  }

  private static String kind(ToolResultKind kind) {
    return switch (kind) {
      case TOOL_RESULT_KIND_OK -> "OK";
      case TOOL_RESULT_KIND_ERROR -> "ERROR";
      case TOOL_RESULT_KIND_INTERRUPTED -> "INTERRUPTED";
      case TOOL_RESULT_KIND_DENIED -> "DENIED";
      case TOOL_RESULT_KIND_UNSPECIFIED, UNRECOGNIZED ->
          throw InvalidField.ofValue("result.kind", kind.name(), "not a kind of result");
    };
  }

  static CommitTurn commit(CommitTurnJournalRequest request) {
    AttemptId attempt = SubmissionRequests.attempt(request.getAttempt());
    if (request.hasFinal() && !request.getFinal()) {
      throw InvalidField.ofValue("final", "false", "only true");
    }
    return new CommitTurn(
        attempt,
        request.getTurnId(),
        entries(
            request.getEntriesList(),
            request.hasExpectedLeafId() ? request.getExpectedLeafId() : null,
            attempt,
            request.getTurnId()),
        request.hasCommittedLeafId()
            ? leaf("committed_leaf_id", request.getCommittedLeafId())
            : null,
        request.hasExpectedNextIndex()
            ? notNegative("expected_next_index", request.getExpectedNextIndex())
            : null,
        request.getFinal(),
        request.hasSettle() ? SubmissionRequests.settlement(request.getSettle()) : null);
  }

  static ReplaceAttempt replace(ReplaceTurnJournalAttemptRequest request) {
    return new ReplaceAttempt(
        SubmissionRequests.attempt(request.getAttempt()),
        request.getNextAttemptId(),
        request.hasLease() ? SubmissionRequests.lease(request.getLease()) : null,
        request.getRequireExpiredLease(),
        request.getReason());
  }

  private static NewEntries entries(
      List<io.agentjournal.v1.NewEntry> entries,
      @Nullable String expectedLeafId,
      AttemptId attempt,
      String turnId) {
    return EntryMessages.from(entries, expectedLeafId, attempt.submission().id(), turnId);
  }

  private static String leaf(String field, String leafId) {
    return leafId.isEmpty() ? leafId : Identifier.check(field, leafId);
  }

  private static long notNegative(String field, long value) {
    if (value < 0) {
      throw InvalidField.ofValue(field, Long.toString(value), "negative");
    }
    return value;
  }
}

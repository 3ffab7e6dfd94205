package io.agentjournal.turn;

import com.google.protobuf.ByteString;
import io.agentjournal.plan.PlanMessages;
import io.agentjournal.rpc.Times;
import io.agentjournal.slot.SlotMessages;
import io.agentjournal.slot.ToolCall;
import io.agentjournal.slot.TurnFacts;
import io.agentjournal.submission.Claimed;
import io.agentjournal.submission.SubmissionMessages;
import io.agentjournal.v1.CommitTurnJournalResponse;
import io.agentjournal.v1.ReadToolRequestResponse;
import io.agentjournal.v1.ReplaceTurnJournalAttemptResponse;
import io.agentjournal.v1.Turn;
import io.agentjournal.v1.UpdateToolCallsResponse;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Answers about turns as messages. */
final class TurnMessages {
  /** Of a part of a call's arguments. */
  private static final int PART_BYTES = 1 << 20;

  private TurnMessages() {}

  static UpdateToolCallsResponse updated(ToolCallStore.Updated updated) {
    UpdateToolCallsResponse.Builder message =
        UpdateToolCallsResponse.newBuilder()
            .setApplied(updated.changed().applied())
            .setJournal(SlotMessages.from(updated.changed().journal()));
    if (updated.leafId() != null) {
      message.setLeafId(updated.leafId());
    }
    return message.build();
  }

  static CommitTurnJournalResponse committed(CommitStore.Committed committed) {
    CommitTurnJournalResponse.Builder message =
        CommitTurnJournalResponse.newBuilder()
            .setApplied(committed.changed().applied())
            .setJournal(SlotMessages.from(committed.changed().journal()));
    if (committed.submission() != null) {
      message.setSubmission(SubmissionMessages.from(committed.submission(), message.build()));
    }
    return message.build();
  }

  static ReplaceTurnJournalAttemptResponse replaced(Claimed claimed) {
    ReplaceTurnJournalAttemptResponse.Builder message =
        ReplaceTurnJournalAttemptResponse.newBuilder()
            .setApplied(claimed.applied())
            .setPlan(PlanMessages.from(claimed.plan()));
    if (claimed.journal() != null) {
      message.setJournal(SlotMessages.from(claimed.journal()));
    }
    return message
        .setSubmission(SubmissionMessages.from(claimed.submission(), message.build()))
        .build();
  }

  static Turn from(TurnFacts turn) {
    Turn.Builder message =
        Turn.newBuilder()
            .setTurnId(turn.turnId())
            .setOperationId(turn.begun().operationId())
            .setRevision(turn.revision())
            .setAttemptId(turn.begun().attemptId())
            .setPhase(SlotMessages.phase(turn.phase()))
            .setBegunAt(Times.message(turn.begunAt()));
    if (turn.started() != null) {
      message.setStreamKey(turn.started().streamKey());
    }
    TurnFacts.Committed committed = turn.committed();
    if (committed != null && committed.leafId() != null) {
      message.setCommittedLeafId(committed.leafId());
    }
    if (turn.committedAt() != null) {
      message.setCommittedAt(Times.message(turn.committedAt()));
    }
    return message.build();
  }

  /** Each call in as many messages as its arguments need, one of them at least. */
  static Stream<ReadToolRequestResponse> parts(List<ToolCall> calls) {
    return calls.stream().flatMap(TurnMessages::parts);
  }

  private static Stream<ReadToolRequestResponse> parts(ToolCall call) {
    ByteString arguments = call.arguments() == null ? ByteString.EMPTY : call.arguments();
    long parts = Math.max(1, (arguments.size() + PART_BYTES - 1) / PART_BYTES);
    return LongStream.range(0, parts).mapToObj(part -> part(call, arguments, part));
  }

  private static ReadToolRequestResponse part(ToolCall call, ByteString arguments, long part) {
    int start = (int) (part * PART_BYTES);
    int end = Math.min(arguments.size(), start + PART_BYTES);
    return ReadToolRequestResponse.newBuilder()
        .setCall(SlotMessages.from(call).toBuilder().setArguments(arguments.substring(start, end)))
        .setArgumentsOffset(start)
        .setArgumentsSizeBytes(arguments.size())
        .build();
  }
}

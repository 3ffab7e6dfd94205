package io.agentjournal.it.model;

import com.google.protobuf.ByteString;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.Failure;
import io.agentjournal.v1.MarkStreamConsumedRequest;
import io.agentjournal.v1.NewToolCall;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.SealStreamRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamEnd;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.ToolCallUpdate;
import io.agentjournal.v1.ToolRequest;
import io.agentjournal.v1.ToolResult;
import io.agentjournal.v1.ToolResultKind;
import io.agentjournal.v1.ToolStarted;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.agentjournal.v1.UpdateToolCallsRequest;
import io.agentjournal.v1.UpdateTurnJournalPhaseRequest;
import java.util.List;

/** Calls about a submission's turn and its stream, as somebody might make them. */
final class TurnMoves {
  private static final List<String> TOOL_CALLS = List.of("c1", "c2");

  private final Draft draft;
  private final SubmissionMoves submissions;

  TurnMoves(Draft draft, SubmissionMoves submissions) {
    this.draft = draft;
    this.submissions = submissions;
  }

  Call begin(String id) {
    BeginTurnJournalRequest.Builder request =
        BeginTurnJournalRequest.newBuilder()
            .setAttempt(draft.attempt(id))
            .setTurnId(draft.chance(90) ? draft.freshTurn() : draft.turn(id))
            .setOperationId("operation");
    if (draft.chance(25)) {
      ModelSubmission submission = draft.world.submissions.get(id);
      long revision = submission == null ? 0 : submission.turns.size();
      request.setExpectedRevision(draft.chance(75) ? revision : draft.random.nextInt(3));
    }
    if (draft.chance(60)) {
      request.setStart(start());
    }
    return Call.of(TurnJournalServiceGrpc.getBeginTurnJournalMethod(), request.build());
  }

  private ProviderStart start() {
    ProviderStart.Builder start = ProviderStart.newBuilder().setContentType("text/plain");
    List<String> keys = List.copyOf(draft.world.streams.keySet());
    return !keys.isEmpty() && draft.chance(6)
        ? start.setStreamKey(draft.oneOf(keys)).build()
        : start.build();
  }

  Call startProvider(String id) {
    return Call.of(
        TurnJournalServiceGrpc.getUpdateTurnJournalPhaseMethod(),
        UpdateTurnJournalPhaseRequest.newBuilder()
            .setAttempt(draft.attempt(id))
            .setTurnId(draft.turn(id))
            .setProviderStarted(start())
            .build());
  }

  Call requestTools(String id) {
    String session = Draft.sessionOf(id);
    ToolRequest.Builder tools = ToolRequest.newBuilder().addAllEntries(draft.entries(session, 1));
    for (String call : TOOL_CALLS) {
      if (tools.getCallsCount() == 0 || draft.chance(60)) {
        tools.addCalls(
            NewToolCall.newBuilder()
                .setToolCallId(call)
                .setName("tool")
                .setArguments(ByteString.copyFromUtf8("arguments"))
                .setRestartSafe(draft.chance(40)));
      }
    }
    if (draft.chance(20)) {
      tools.setCheckpointLeafId(draft.anyLeaf(session));
    }
    String expected = draft.expectedLeaf(session);
    if (expected != null) {
      tools.setExpectedLeafId(expected);
    }
    Long nextIndex = draft.expectedNextIndex(id);
    if (nextIndex != null) {
      tools.setExpectedNextIndex(nextIndex);
    }
    return Call.of(
        TurnJournalServiceGrpc.getUpdateTurnJournalPhaseMethod(),
        UpdateTurnJournalPhaseRequest.newBuilder()
            .setAttempt(draft.attempt(id))
            .setTurnId(draft.turn(id))
            .setToolRequestRecorded(tools)
            .build());
  }

  Call consume(String id) {
    MarkStreamConsumedRequest.Builder request =
        MarkStreamConsumedRequest.newBuilder()
            .setAttempt(draft.attempt(id))
            .setTurnId(draft.turn(id))
            .setStreamKey(draft.chance(80) ? streamKey(id) : anyStreamKey());
    Long nextIndex = draft.expectedNextIndex(id);
    if (nextIndex != null) {
      request.setExpectedNextIndex(nextIndex);
    }
    return Call.of(TurnJournalServiceGrpc.getMarkStreamConsumedMethod(), request.build());
  }

  Call updateTools(String id) {
    String session = Draft.sessionOf(id);
    UpdateToolCallsRequest.Builder request =
        UpdateToolCallsRequest.newBuilder().setAttempt(draft.attempt(id)).setTurnId(draft.turn(id));
    for (String call : TOOL_CALLS) {
      if (request.getUpdatesCount() == 0 ? draft.chance(70) : draft.chance(30)) {
        ToolCallUpdate update = update(session, call);
        if (!storesAgain(request, update)) {
          request.addUpdates(update);
        }
      }
    }
    if (request.getUpdatesCount() == 0) {
      request.addUpdates(update(session, "c1"));
    }
    String expected = draft.expectedLeaf(session);
    if (expected != null) {
      request.setExpectedLeafId(expected);
    }
    return Call.of(TurnJournalServiceGrpc.getUpdateToolCallsMethod(), request.build());
  }

  /** An entry twice in one request is no request at all. */
  private static boolean storesAgain(UpdateToolCallsRequest.Builder request, ToolCallUpdate next) {
    return next.hasResult()
        && request.getUpdatesList().stream()
            .filter(ToolCallUpdate::hasResult)
            .map(update -> update.getResult().getEntry().getEntryId())
            .anyMatch(next.getResult().getEntry().getEntryId()::equals);
  }

  private ToolCallUpdate update(String session, String call) {
    ToolCallUpdate.Builder update = ToolCallUpdate.newBuilder().setToolCallId(call);
    if (draft.chance(50)) {
      return update.setStarted(ToolStarted.getDefaultInstance()).build();
    }
    return update
        .setResult(
            ToolResult.newBuilder()
                .setKind(
                    draft.chance(80)
                        ? ToolResultKind.TOOL_RESULT_KIND_OK
                        : ToolResultKind.TOOL_RESULT_KIND_INTERRUPTED)
                .setEntry(draft.entry(session)))
        .build();
  }

  Call commit(String id) {
    String session = Draft.sessionOf(id);
    CommitTurnJournalRequest.Builder request =
        CommitTurnJournalRequest.newBuilder()
            .setAttempt(draft.attempt(id))
            .setTurnId(draft.turn(id))
            .addAllEntries(draft.entries(session, 2));
    String expected = draft.expectedLeaf(session);
    if (expected != null) {
      request.setExpectedLeafId(expected);
    }
    if (draft.chance(15)) {
      request.setCommittedLeafId(draft.anyLeaf(session));
    }
    Long nextIndex = draft.expectedNextIndex(id);
    if (nextIndex != null) {
      request.setExpectedNextIndex(nextIndex);
    }
    if (draft.chance(20)) {
      request.setSettle(submissions.settlement());
    } else if (draft.chance(15)) {
      request.setFinal(true);
    }
    return Call.of(TurnJournalServiceGrpc.getCommitTurnJournalMethod(), request.build());
  }

  /** Mostly the slot's. */
  private String streamKey(String id) {
    ModelTurn slot = draft.slot(id);
    List<String> keys = List.copyOf(draft.world.streams.keySet());
    String current = slot == null ? "" : slot.slot.getStreamKey();
    if (!current.isEmpty() && (keys.isEmpty() || draft.chance(86))) {
      return current;
    }
    return anyStreamKey();
  }

  private String anyStreamKey() {
    List<String> keys = List.copyOf(draft.world.streams.keySet());
    return keys.isEmpty() ? "no-stream" : draft.oneOf(keys);
  }

  Call put(String id) {
    String key = streamKey(id);
    ModelStream stream = draft.world.streams.get(key);
    long next = stream == null ? 0 : stream.nextIndex();
    long from = Math.max(0, next + (draft.chance(75) ? 0 : draft.random.nextInt(4) - 2));
    PutSegmentsRequest.Builder request =
        PutSegmentsRequest.newBuilder()
            .setOpen(StreamOpen.newBuilder().setStreamKey(key).setAttempt(draft.attempt(id)));
    int count = draft.random.nextInt(3);
    if (count > 0) {
      request.setFirstIndex(from);
    }
    for (long index = from; index < from + count; index++) {
      boolean isKnown = index < next;
      String text = draft.chance(isKnown ? 75 : 95) ? "token " + index : "another token";
      request.addSegments(Segment.newBuilder().setText(text));
    }
    if (draft.chance(18)) {
      request.setEnd(end(from + count));
    }
    return new Call(draft.anyAppend(), request.build());
  }

  private StreamEnd end(long nextIndex) {
    StreamEnd.Builder end = StreamEnd.newBuilder();
    if (draft.chance(75)) {
      end.setFinishReason(draft.chance(90) ? "stop" : "length");
    } else {
      end.setFailure(Failure.newBuilder().setCode("overloaded").setMessage("later"));
    }
    if (draft.chance(50)) {
      end.setExpectedNextIndex(nextIndex + (draft.chance(80) ? 0 : 1));
    }
    return end.build();
  }

  Call seal(String id) {
    String key = streamKey(id);
    SealStreamRequest.Builder request = SealStreamRequest.newBuilder().setStreamKey(key);
    if (draft.chance(25)) {
      request.setForce(true);
    } else {
      ModelStream stream = draft.world.streams.get(key);
      long next = stream == null ? 0 : stream.nextIndex();
      request
          .setAttempt(draft.attempt(id))
          .setEnd(end(next).toBuilder().setExpectedNextIndex(next + (draft.chance(85) ? 0 : 1)));
    }
    return Call.of(SegmentServiceGrpc.getSealStreamMethod(), request.build());
  }

  Call delete(String id) {
    return Call.of(
        SegmentServiceGrpc.getDeleteStreamMethod(),
        DeleteStreamRequest.newBuilder().setStreamKey(streamKey(id)).build());
  }
}

package io.agentjournal.turn;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.BeginTurnJournalResponse;
import io.agentjournal.v1.ClaimSubmissionRequest;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.CommitTurnJournalResponse;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.GetTurnJournalRequest;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.MarkStreamConsumedRequest;
import io.agentjournal.v1.MarkStreamConsumedResponse;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.NewToolCall;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.PutSegmentsResponse;
import io.agentjournal.v1.ReplaceTurnJournalAttemptRequest;
import io.agentjournal.v1.ReplaceTurnJournalAttemptResponse;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.SettleSubmissionRequest;
import io.agentjournal.v1.SettleSubmissionResponse;
import io.agentjournal.v1.Settlement;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.ToolCallUpdate;
import io.agentjournal.v1.ToolRequest;
import io.agentjournal.v1.ToolResult;
import io.agentjournal.v1.ToolResultKind;
import io.agentjournal.v1.ToolStarted;
import io.agentjournal.v1.TurnJournal;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.agentjournal.v1.UpdateToolCallsRequest;
import io.agentjournal.v1.UpdateToolCallsResponse;
import io.agentjournal.v1.UpdateTurnJournalPhaseRequest;
import io.agentjournal.v1.UpdateTurnJournalPhaseResponse;
import io.grpc.Channel;
import java.util.List;
import java.util.UUID;

/**
 * A submission of its own for one test, in a session of its own, and the calls about its turns.
 * Attempts and turns are named by the tests: "a", "b" and "t1", "t2".
 */
final class Trial {
  final String id = "sub-" + UUID.randomUUID();
  final String session = "ses-" + UUID.randomUUID();
  final StoredRows stored;
  final SubmissionServiceGrpc.SubmissionServiceBlockingStub submissions;
  final TurnJournalServiceGrpc.TurnJournalServiceBlockingStub turns;
  final SegmentServiceGrpc.SegmentServiceBlockingStub segments;

  private Trial(JournalExtension journal) {
    Channel channel = journal.channel();
    this.stored = new StoredRows(journal.database(), id);
    this.submissions = SubmissionServiceGrpc.newBlockingStub(channel);
    this.turns = TurnJournalServiceGrpc.newBlockingStub(channel);
    this.segments = SegmentServiceGrpc.newBlockingStub(channel);
  }

  /** Admitted, not claimed. */
  static Trial queued(JournalExtension journal) {
    Trial trial = new Trial(journal);
    trial.submissions.admitSubmission(
        AdmitSubmissionRequest.newBuilder()
            .setSubmissionId(trial.id)
            .setSessionKey(trial.session)
            .build());
    return trial;
  }

  /** Running under attempt "a". */
  static Trial running(JournalExtension journal) {
    Trial trial = queued(journal);
    trial.claim("a");
    return trial;
  }

  /** Running under attempt "a", its turn "t1" in provider_started. */
  static Trial started(JournalExtension journal) {
    Trial trial = running(journal);
    trial.turns.beginTurnJournal(
        trial.begin("a", "t1").setStart(ProviderStart.newBuilder()).build());
    return trial;
  }

  /** As {@link #started}, and the calls "c1" and "c2" are recorded. */
  static Trial requested(JournalExtension journal) {
    Trial trial = started(journal);
    trial.request("a", "t1", call("c1"), call("c2"));
    return trial;
  }

  /** As {@link #started}, and committed. */
  static Trial committed(JournalExtension journal) {
    Trial trial = started(journal);
    trial.commit("a", "t1");
    return trial;
  }

  void claim(String attempt) {
    submissions.claimSubmission(
        ClaimSubmissionRequest.newBuilder()
            .setAttempt(ref(attempt))
            .setLease(LeaseRequest.newBuilder().setOwner("owner-" + attempt))
            .build());
  }

  AttemptRef ref(String attempt) {
    return AttemptRef.newBuilder().setSubmissionId(id).setAttemptId(attempt).build();
  }

  /** The key that is minted. */
  String streamKey(String turn, String attempt) {
    return id + ":" + turn + ":" + attempt;
  }

  BeginTurnJournalRequest.Builder begin(String attempt, String turn) {
    return BeginTurnJournalRequest.newBuilder()
        .setAttempt(ref(attempt))
        .setTurnId(turn)
        .setOperationId("op");
  }

  BeginTurnJournalResponse begun(String attempt, String turn) {
    return turns.beginTurnJournal(begin(attempt, turn).build());
  }

  UpdateTurnJournalPhaseResponse start(String attempt, String turn) {
    return start(attempt, turn, ProviderStart.getDefaultInstance());
  }

  UpdateTurnJournalPhaseResponse start(String attempt, String turn, ProviderStart start) {
    return turns.updateTurnJournalPhase(
        UpdateTurnJournalPhaseRequest.newBuilder()
            .setAttempt(ref(attempt))
            .setTurnId(turn)
            .setProviderStarted(start)
            .build());
  }

  static NewToolCall call(String toolCallId) {
    return NewToolCall.newBuilder().setToolCallId(toolCallId).setName("tool").build();
  }

  UpdateTurnJournalPhaseResponse request(String attempt, String turn, NewToolCall... calls) {
    return request(attempt, turn, ToolRequest.newBuilder().addAllCalls(List.of(calls)).build());
  }

  UpdateTurnJournalPhaseResponse request(String attempt, String turn, ToolRequest request) {
    return turns.updateTurnJournalPhase(
        UpdateTurnJournalPhaseRequest.newBuilder()
            .setAttempt(ref(attempt))
            .setTurnId(turn)
            .setToolRequestRecorded(request)
            .build());
  }

  MarkStreamConsumedResponse consume(String attempt, String turn, String streamKey) {
    return turns.markStreamConsumed(
        MarkStreamConsumedRequest.newBuilder()
            .setAttempt(ref(attempt))
            .setTurnId(turn)
            .setStreamKey(streamKey)
            .build());
  }

  UpdateToolCallsResponse update(String attempt, String turn, ToolCallUpdate... updates) {
    return turns.updateToolCalls(
        UpdateToolCallsRequest.newBuilder()
            .setAttempt(ref(attempt))
            .setTurnId(turn)
            .addAllUpdates(List.of(updates))
            .build());
  }

  static ToolCallUpdate start(String toolCallId) {
    return ToolCallUpdate.newBuilder()
        .setToolCallId(toolCallId)
        .setStarted(ToolStarted.getDefaultInstance())
        .build();
  }

  static ToolCallUpdate result(String toolCallId, NewEntry entry) {
    return result(toolCallId, ToolResultKind.TOOL_RESULT_KIND_OK, entry);
  }

  static ToolCallUpdate result(String toolCallId, ToolResultKind kind, NewEntry entry) {
    return ToolCallUpdate.newBuilder()
        .setToolCallId(toolCallId)
        .setResult(ToolResult.newBuilder().setKind(kind).setEntry(entry))
        .build();
  }

  static NewEntry entry(String entryId, String text) {
    return NewEntry.newBuilder()
        .setEntryId(entryId)
        .setKind("message")
        .setPayload(Payload.newBuilder().setText(text))
        .build();
  }

  CommitTurnJournalRequest.Builder committing(String attempt, String turn) {
    return CommitTurnJournalRequest.newBuilder().setAttempt(ref(attempt)).setTurnId(turn);
  }

  CommitTurnJournalResponse commit(String attempt, String turn) {
    return turns.commitTurnJournal(committing(attempt, turn).build());
  }

  static Settlement completed(String result) {
    return Settlement.newBuilder()
        .setOutcome(Outcome.OUTCOME_COMPLETED)
        .setResult(Payload.newBuilder().setText(result))
        .build();
  }

  static Settlement failed() {
    return Settlement.newBuilder().setOutcome(Outcome.OUTCOME_FAILED).build();
  }

  SettleSubmissionResponse settle(String attempt, Settlement settlement) {
    return submissions.settleSubmission(
        SettleSubmissionRequest.newBuilder()
            .setAttempt(ref(attempt))
            .setSettlement(settlement)
            .build());
  }

  ReplaceTurnJournalAttemptRequest.Builder replacing(String attempt, String next) {
    return ReplaceTurnJournalAttemptRequest.newBuilder()
        .setAttempt(ref(attempt))
        .setNextAttemptId(next);
  }

  ReplaceTurnJournalAttemptResponse replace(String attempt, String next) {
    return turns.replaceTurnJournalAttempt(replacing(attempt, next).build());
  }

  /** Appends segments of one character each. */
  PutSegmentsResponse put(String attempt, String streamKey, long firstIndex, String text) {
    PutSegmentsRequest.Builder request =
        PutSegmentsRequest.newBuilder()
            .setOpen(StreamOpen.newBuilder().setStreamKey(streamKey).setAttempt(ref(attempt)))
            .setFirstIndex(firstIndex);
    text.chars()
        .forEach(
            character ->
                request.addSegments(
                    Segment.newBuilder().setText(Character.toString((char) character))));
    return segments.putSegments(request.build());
  }

  TurnJournal journal() {
    return turns
        .getTurnJournal(GetTurnJournalRequest.newBuilder().setSubmissionId(id).build())
        .getJournal();
  }

  Submission submission() {
    return submissions
        .getSubmission(GetSubmissionRequest.newBuilder().setSubmissionId(id).build())
        .getSubmission();
  }
}

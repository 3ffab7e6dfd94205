package io.agentjournal.testing;

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
import io.agentjournal.v1.RecoveryServiceGrpc;
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
import java.util.function.UnaryOperator;

/**
 * A submission of its own for one test, in a session of its own, and the calls about its turns.
 * Attempts and turns are named by the tests: "a", "b" and "t1", "t2".
 */
public final class Trial {
  public final String id = "sub-" + UUID.randomUUID();
  public final String session = "ses-" + UUID.randomUUID();
  public final StoredRows stored;
  public final SubmissionServiceGrpc.SubmissionServiceBlockingStub submissions;
  public final TurnJournalServiceGrpc.TurnJournalServiceBlockingStub turns;
  public final SegmentServiceGrpc.SegmentServiceBlockingStub segments;
  public final RecoveryServiceGrpc.RecoveryServiceBlockingStub recoveries;

  private Trial(JournalExtension journal) {
    Channel channel = journal.channel();
    this.stored = new StoredRows(journal.database(), id);
    this.submissions = SubmissionServiceGrpc.newBlockingStub(channel);
    this.turns = TurnJournalServiceGrpc.newBlockingStub(channel);
    this.segments = SegmentServiceGrpc.newBlockingStub(channel);
    this.recoveries = RecoveryServiceGrpc.newBlockingStub(channel);
  }

  /** Admitted, not claimed. */
  public static Trial queued(JournalExtension journal) {
    return queued(journal, "default");
  }

  /** As {@link #queued}, in a queue of the test's choice. */
  public static Trial queued(JournalExtension journal, String queue) {
    return admitted(journal, request -> request.setQueue(queue));
  }

  /** As {@link #queued}, with more in the admission. */
  public static Trial admitted(
      JournalExtension journal, UnaryOperator<AdmitSubmissionRequest.Builder> more) {
    Trial trial = new Trial(journal);
    AdmitSubmissionRequest.Builder request =
        AdmitSubmissionRequest.newBuilder().setSubmissionId(trial.id).setSessionKey(trial.session);
    trial.submissions.admitSubmission(more.apply(request).build());
    return trial;
  }

  /** Running under attempt "a", its lease ended. */
  public static Trial expired(JournalExtension journal, String queue) {
    Trial trial = queued(journal, queue);
    trial.claim("a");
    trial.stored.expireLease();
    return trial;
  }

  /** Running under attempt "a". */
  public static Trial running(JournalExtension journal) {
    Trial trial = queued(journal);
    trial.claim("a");
    return trial;
  }

  /** Running under attempt "a", its turn "t1" in provider_started. */
  public static Trial started(JournalExtension journal) {
    Trial trial = running(journal);
    trial.turns.beginTurnJournal(
        trial.begin("a", "t1").setStart(ProviderStart.newBuilder()).build());
    return trial;
  }

  /** As {@link #started}, and the calls "c1" and "c2" are recorded. */
  public static Trial requested(JournalExtension journal) {
    Trial trial = started(journal);
    trial.request("a", "t1", call("c1"), call("c2"));
    return trial;
  }

  /** As {@link #started}, and committed. */
  public static Trial committed(JournalExtension journal) {
    Trial trial = started(journal);
    trial.commit("a", "t1");
    return trial;
  }

  public void claim(String attempt) {
    submissions.claimSubmission(
        ClaimSubmissionRequest.newBuilder()
            .setAttempt(ref(attempt))
            .setLease(LeaseRequest.newBuilder().setOwner("owner-" + attempt))
            .build());
  }

  public AttemptRef ref(String attempt) {
    return AttemptRef.newBuilder().setSubmissionId(id).setAttemptId(attempt).build();
  }

  /** The key that is minted. */
  public String streamKey(String turn, String attempt) {
    return id + ":" + turn + ":" + attempt;
  }

  public BeginTurnJournalRequest.Builder begin(String attempt, String turn) {
    return BeginTurnJournalRequest.newBuilder()
        .setAttempt(ref(attempt))
        .setTurnId(turn)
        .setOperationId("op");
  }

  public BeginTurnJournalResponse begun(String attempt, String turn) {
    return turns.beginTurnJournal(begin(attempt, turn).build());
  }

  public UpdateTurnJournalPhaseResponse start(String attempt, String turn) {
    return start(attempt, turn, ProviderStart.getDefaultInstance());
  }

  public UpdateTurnJournalPhaseResponse start(String attempt, String turn, ProviderStart start) {
    return turns.updateTurnJournalPhase(
        UpdateTurnJournalPhaseRequest.newBuilder()
            .setAttempt(ref(attempt))
            .setTurnId(turn)
            .setProviderStarted(start)
            .build());
  }

  public static NewToolCall call(String toolCallId) {
    return NewToolCall.newBuilder().setToolCallId(toolCallId).setName("tool").build();
  }

  public UpdateTurnJournalPhaseResponse request(String attempt, String turn, NewToolCall... calls) {
    return request(attempt, turn, ToolRequest.newBuilder().addAllCalls(List.of(calls)).build());
  }

  public UpdateTurnJournalPhaseResponse request(String attempt, String turn, ToolRequest request) {
    return turns.updateTurnJournalPhase(
        UpdateTurnJournalPhaseRequest.newBuilder()
            .setAttempt(ref(attempt))
            .setTurnId(turn)
            .setToolRequestRecorded(request)
            .build());
  }

  public MarkStreamConsumedResponse consume(String attempt, String turn, String streamKey) {
    return turns.markStreamConsumed(
        MarkStreamConsumedRequest.newBuilder()
            .setAttempt(ref(attempt))
            .setTurnId(turn)
            .setStreamKey(streamKey)
            .build());
  }

  public UpdateToolCallsResponse update(String attempt, String turn, ToolCallUpdate... updates) {
    return turns.updateToolCalls(
        UpdateToolCallsRequest.newBuilder()
            .setAttempt(ref(attempt))
            .setTurnId(turn)
            .addAllUpdates(List.of(updates))
            .build());
  }

  public static ToolCallUpdate start(String toolCallId) {
    return ToolCallUpdate.newBuilder()
        .setToolCallId(toolCallId)
        .setStarted(ToolStarted.getDefaultInstance())
        .build();
  }

  public static ToolCallUpdate result(String toolCallId, NewEntry entry) {
    return result(toolCallId, ToolResultKind.TOOL_RESULT_KIND_OK, entry);
  }

  public static ToolCallUpdate result(String toolCallId, ToolResultKind kind, NewEntry entry) {
    return ToolCallUpdate.newBuilder()
        .setToolCallId(toolCallId)
        .setResult(ToolResult.newBuilder().setKind(kind).setEntry(entry))
        .build();
  }

  public static NewEntry entry(String entryId, String text) {
    return NewEntry.newBuilder()
        .setEntryId(entryId)
        .setKind("message")
        .setPayload(Payload.newBuilder().setText(text))
        .build();
  }

  public CommitTurnJournalRequest.Builder committing(String attempt, String turn) {
    return CommitTurnJournalRequest.newBuilder().setAttempt(ref(attempt)).setTurnId(turn);
  }

  public CommitTurnJournalResponse commit(String attempt, String turn) {
    return turns.commitTurnJournal(committing(attempt, turn).build());
  }

  public static Settlement completed(String result) {
    return Settlement.newBuilder()
        .setOutcome(Outcome.OUTCOME_COMPLETED)
        .setResult(Payload.newBuilder().setText(result))
        .build();
  }

  public static Settlement failed() {
    return Settlement.newBuilder().setOutcome(Outcome.OUTCOME_FAILED).build();
  }

  public SettleSubmissionResponse settle(String attempt, Settlement settlement) {
    return submissions.settleSubmission(
        SettleSubmissionRequest.newBuilder()
            .setAttempt(ref(attempt))
            .setSettlement(settlement)
            .build());
  }

  public ReplaceTurnJournalAttemptRequest.Builder replacing(String attempt, String next) {
    return ReplaceTurnJournalAttemptRequest.newBuilder()
        .setAttempt(ref(attempt))
        .setNextAttemptId(next);
  }

  public ReplaceTurnJournalAttemptResponse replace(String attempt, String next) {
    return turns.replaceTurnJournalAttempt(replacing(attempt, next).build());
  }

  /** Appends segments of one character each. */
  public PutSegmentsResponse put(String attempt, String streamKey, long firstIndex, String text) {
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

  public TurnJournal journal() {
    return turns
        .getTurnJournal(GetTurnJournalRequest.newBuilder().setSubmissionId(id).build())
        .getJournal();
  }

  public Submission submission() {
    return submissions
        .getSubmission(GetSubmissionRequest.newBuilder().setSubmissionId(id).build())
        .getSubmission();
  }
}

package io.agentjournal.it.agent;

import com.google.protobuf.InvalidProtocolBufferException;
import io.agentjournal.client.ClaimedSubmission;
import io.agentjournal.client.JournalClient;
import io.agentjournal.client.SegmentReader;
import io.agentjournal.client.SegmentWriter;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.Entry;
import io.agentjournal.v1.MarkInputAppliedRequest;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.ReadActivePathRequest;
import io.agentjournal.v1.ReadActivePathResponse;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SessionServiceGrpc;
import io.agentjournal.v1.SessionServiceGrpc.SessionServiceBlockingStub;
import io.agentjournal.v1.Settlement;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc.SubmissionServiceBlockingStub;
import io.agentjournal.v1.ToolCall;
import io.agentjournal.v1.ToolCallUpdate;
import io.agentjournal.v1.ToolRequest;
import io.agentjournal.v1.ToolResult;
import io.agentjournal.v1.ToolResultKind;
import io.agentjournal.v1.ToolStarted;
import io.agentjournal.v1.TurnJournal;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.agentjournal.v1.TurnJournalServiceGrpc.TurnJournalServiceBlockingStub;
import io.agentjournal.v1.UpdateToolCallsRequest;
import io.agentjournal.v1.UpdateTurnJournalPhaseRequest;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;

/**
 * The journal's calls as the agent makes them, each in the name of its attempt, each repeated while
 * the journal is away: the requests carry ids, so that a repeat of one that got through changes
 * nothing. Entries have ids that follow from their turn: a successor would write the same ones.
 */
final class TurnCalls {
  private final JournalClient journal;
  private final ClaimedSubmission claimed;
  private final SubmissionServiceBlockingStub submissions;
  private final TurnJournalServiceBlockingStub turns;
  private final SessionServiceBlockingStub sessions;

  TurnCalls(JournalClient journal, ClaimedSubmission claimed) {
    this.journal = journal;
    this.claimed = claimed;
    this.submissions = SubmissionServiceGrpc.newBlockingStub(journal.channel());
    this.turns = TurnJournalServiceGrpc.newBlockingStub(journal.channel());
    this.sessions = SessionServiceGrpc.newBlockingStub(journal.channel());
  }

  /** An input above 1 MiB would have to be read with ReadInput. */
  void applyInput() {
    MarkInputAppliedRequest request =
        MarkInputAppliedRequest.newBuilder()
            .setAttempt(claimed.attempt())
            .addEntries(
                entry(
                    claimed.attempt().getSubmissionId() + ":input",
                    "user",
                    claimed.submission().getInput().getPayload()))
            .build();
    var unused = journal.repeat(() -> submissions.markInputApplied(request));
  }

  /** A new turn, whose model is about to be asked. */
  TurnJournal begin() {
    BeginTurnJournalRequest request =
        BeginTurnJournalRequest.newBuilder()
            .setAttempt(claimed.attempt())
            .setTurnId(UUID.randomUUID().toString())
            .setStart(ProviderStart.newBuilder().setContentType("text/plain"))
            .build();
    return journal.repeat(() -> turns.beginTurnJournal(request)).getJournal();
  }

  /** The model of a turn that another one has begun is about to be asked. */
  TurnJournal start(TurnJournal turn) {
    UpdateTurnJournalPhaseRequest request =
        UpdateTurnJournalPhaseRequest.newBuilder()
            .setAttempt(claimed.attempt())
            .setTurnId(turn.getTurnId())
            .setProviderStarted(ProviderStart.newBuilder().setContentType("text/plain"))
            .build();
    return journal.repeat(() -> turns.updateTurnJournalPhase(request)).getJournal();
  }

  /** What is stored of a response, and whether that is all of it. */
  record Stored(List<Segment> segments, boolean isWhole) {}

  Stored read(String streamKey) {
    List<Segment> segments = new ArrayList<>();
    try (SegmentReader reader = journal.reader(streamKey).open()) {
      reader.forEachRemaining(stored -> segments.add(stored.segment()));
      return new Stored(
          segments, reader.end().getReason() == ReadEndReason.READ_END_REASON_COMPLETE);
    }
  }

  SegmentWriter writer(TurnJournal turn) throws InterruptedException {
    return journal
        .writer(turn.getStreamKey())
        .attempt(claimed.attempt().getSubmissionId(), claimed.attempt().getAttemptId())
        .resume()
        .open();
  }

  /** The transcript so far. A read that ends without the typed end was cut. */
  List<Entry> conversation() {
    ReadActivePathRequest request =
        ReadActivePathRequest.newBuilder()
            .setSessionKey(claimed.submission().getSessionKey())
            .build();
    return journal.repeat(
        () -> {
          List<Entry> entries = new ArrayList<>();
          Iterator<ReadActivePathResponse> messages = sessions.readActivePath(request);
          boolean isEnded = false;
          while (messages.hasNext()) {
            ReadActivePathResponse message = messages.next();
            entries.addAll(message.getEntriesList());
            isEnded = message.hasEnd();
          }
          if (!isEnded) {
            throw Status.UNAVAILABLE.withDescription("cut").asRuntimeException();
          }
          return entries;
        });
  }

  /** The assistant's message and the calls that it asks for, in one transaction. */
  TurnJournal requestTools(TurnJournal turn, Response response)
      throws InvalidProtocolBufferException {
    UpdateTurnJournalPhaseRequest request =
        UpdateTurnJournalPhaseRequest.newBuilder()
            .setAttempt(claimed.attempt())
            .setTurnId(turn.getTurnId())
            .setToolRequestRecorded(
                ToolRequest.newBuilder()
                    .addAllCalls(response.toolCalls())
                    .addEntries(message(turn, response))
                    .setExpectedNextIndex(response.segments().size()))
            .build();
    return journal.repeat(() -> turns.updateTurnJournalPhase(request)).getJournal();
  }

  void toolStarts(TurnJournal turn, ToolCall call) {
    update(turn, call, ToolCallUpdate.newBuilder().setStarted(ToolStarted.getDefaultInstance()));
  }

  void toolEnded(TurnJournal turn, ToolCall call, ToolResultKind kind, String result) {
    NewEntry entry =
        entry(turn.getTurnId() + ":" + call.getToolCallId(), "tool_result", text(result));
    update(
        turn,
        call,
        ToolCallUpdate.newBuilder()
            .setResult(ToolResult.newBuilder().setKind(kind).setEntry(entry)));
  }

  private void update(TurnJournal turn, ToolCall call, ToolCallUpdate.Builder update) {
    UpdateToolCallsRequest request =
        UpdateToolCallsRequest.newBuilder()
            .setAttempt(claimed.attempt())
            .setTurnId(turn.getTurnId())
            .addUpdates(update.setToolCallId(call.getToolCallId()))
            .build();
    var unused = journal.repeat(() -> turns.updateToolCalls(request));
  }

  /** The turn is over; its results are in the transcript. */
  void commit(TurnJournal turn) {
    CommitTurnJournalRequest request =
        CommitTurnJournalRequest.newBuilder()
            .setAttempt(claimed.attempt())
            .setTurnId(turn.getTurnId())
            .build();
    var unused = journal.repeat(() -> turns.commitTurnJournal(request));
  }

  /** The answer, the turn's end and the submission's, in one transaction. */
  void settle(TurnJournal turn, Response response) {
    CommitTurnJournalRequest request =
        CommitTurnJournalRequest.newBuilder()
            .setAttempt(claimed.attempt())
            .setTurnId(turn.getTurnId())
            .addEntries(message(turn, response))
            .setExpectedNextIndex(response.segments().size())
            .setSettle(
                Settlement.newBuilder()
                    .setOutcome(Outcome.OUTCOME_COMPLETED)
                    .setResult(text(response.text())))
            .build();
    var unused = journal.repeat(() -> turns.commitTurnJournal(request));
  }

  private static NewEntry message(TurnJournal turn, Response response) {
    return entry(turn.getTurnId() + ":assistant", "assistant", text(response.text()));
  }

  private static NewEntry entry(String entryId, String kind, Payload payload) {
    return NewEntry.newBuilder().setEntryId(entryId).setKind(kind).setPayload(payload).build();
  }

  private static Payload text(String text) {
    return Payload.newBuilder().setText(text).build();
  }
}

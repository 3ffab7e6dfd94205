package io.agentjournal.turn;

import io.agentjournal.database.Transactions;
import io.agentjournal.database.Work;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.rpc.PageRequest;
import io.agentjournal.rpc.StreamedAnswers;
import io.agentjournal.rpc.UnaryCalls;
import io.agentjournal.slot.SlotMessages;
import io.agentjournal.slot.ToolCall;
import io.agentjournal.slot.TurnFacts;
import io.agentjournal.slot.TurnJournal;
import io.agentjournal.submission.SubmissionRequests;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.BeginTurnJournalResponse;
import io.agentjournal.v1.CommitTurnJournalRequest;
import io.agentjournal.v1.CommitTurnJournalResponse;
import io.agentjournal.v1.GetTurnJournalRequest;
import io.agentjournal.v1.GetTurnJournalResponse;
import io.agentjournal.v1.ListTurnsRequest;
import io.agentjournal.v1.ListTurnsResponse;
import io.agentjournal.v1.MarkStreamConsumedRequest;
import io.agentjournal.v1.MarkStreamConsumedResponse;
import io.agentjournal.v1.ReadToolRequestRequest;
import io.agentjournal.v1.ReadToolRequestResponse;
import io.agentjournal.v1.ReplaceTurnJournalAttemptRequest;
import io.agentjournal.v1.ReplaceTurnJournalAttemptResponse;
import io.agentjournal.v1.TurnJournalServiceGrpc.TurnJournalServiceImplBase;
import io.agentjournal.v1.UpdateToolCallsRequest;
import io.agentjournal.v1.UpdateToolCallsResponse;
import io.agentjournal.v1.UpdateTurnJournalPhaseRequest;
import io.agentjournal.v1.UpdateTurnJournalPhaseResponse;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** The turn journal's calls: each makes a record of its message and runs one transaction. */
public final class TurnJournalService extends TurnJournalServiceImplBase {
  private final Transactions transactions;
  private final UnaryCalls calls;
  private final StreamedAnswers streamed;
  private final TurnStores stores;

  public TurnJournalService(
      Transactions transactions, UnaryCalls calls, StreamedAnswers streamed, TurnStores stores) {
    this.transactions = transactions;
    this.calls = calls;
    this.streamed = streamed;
    this.stores = stores;
  }

  @Override
  public void beginTurnJournal(
      BeginTurnJournalRequest request, StreamObserver<BeginTurnJournalResponse> observer) {
    BeginTurn call = TurnRequests.begin(request);
    calls.answer(
        observer,
        () -> {
          Changed changed =
              transactions.run("BeginTurnJournal", tx -> stores.begins().begin(tx, call));
          return BeginTurnJournalResponse.newBuilder()
              .setApplied(changed.applied())
              .setJournal(SlotMessages.from(changed.journal()))
              .build();
        });
  }

  @Override
  public void updateTurnJournalPhase(
      UpdateTurnJournalPhaseRequest request,
      StreamObserver<UpdateTurnJournalPhaseResponse> observer) {
    AttemptId attempt = SubmissionRequests.attempt(request.getAttempt());
    String turnId = request.getTurnId();
    switch (request.getNextCase()) {
      case PROVIDER_STARTED -> {
        ProviderStart call = TurnRequests.start(attempt, turnId, request.getProviderStarted());
        answerPhase(observer, tx -> stores.begins().start(tx, call));
      }
      case TOOL_REQUEST_RECORDED -> {
        ToolRequest call =
            TurnRequests.toolRequest(attempt, turnId, request.getToolRequestRecorded());
        answerPhase(observer, tx -> stores.toolRequests().record(tx, call));
      }
      case NEXT_NOT_SET -> throw InvalidField.because("next", "missing");
    }
  }

  private void answerPhase(
      StreamObserver<UpdateTurnJournalPhaseResponse> observer, Work<Changed> work) {
    calls.answer(
        observer,
        () -> {
          Changed changed = transactions.run("UpdateTurnJournalPhase", work);
          return UpdateTurnJournalPhaseResponse.newBuilder()
              .setApplied(changed.applied())
              .setJournal(SlotMessages.from(changed.journal()))
              .build();
        });
  }

  @Override
  public void markStreamConsumed(
      MarkStreamConsumedRequest request, StreamObserver<MarkStreamConsumedResponse> observer) {
    ConsumeStream call = TurnRequests.consume(request);
    calls.answer(
        observer,
        () -> {
          Changed changed =
              transactions.run("MarkStreamConsumed", tx -> stores.consumes().consume(tx, call));
          return MarkStreamConsumedResponse.newBuilder()
              .setApplied(changed.applied())
              .setJournal(SlotMessages.from(changed.journal()))
              .build();
        });
  }

  @Override
  public void updateToolCalls(
      UpdateToolCallsRequest request, StreamObserver<UpdateToolCallsResponse> observer) {
    ToolCallUpdates call = TurnRequests.toolCalls(request);
    calls.answer(
        observer,
        () ->
            TurnMessages.updated(
                transactions.run("UpdateToolCalls", tx -> stores.toolCalls().update(tx, call))));
  }

  @Override
  public void commitTurnJournal(
      CommitTurnJournalRequest request, StreamObserver<CommitTurnJournalResponse> observer) {
    CommitTurn call = TurnRequests.commit(request);
    calls.answer(
        observer,
        () ->
            TurnMessages.committed(
                transactions.run("CommitTurnJournal", tx -> stores.commits().commit(tx, call))));
  }

  @Override
  public void replaceTurnJournalAttempt(
      ReplaceTurnJournalAttemptRequest request,
      StreamObserver<ReplaceTurnJournalAttemptResponse> observer) {
    ReplaceAttempt call = TurnRequests.replace(request);
    calls.answer(
        observer,
        () ->
            TurnMessages.replaced(
                transactions.run(
                    "ReplaceTurnJournalAttempt", tx -> stores.replaces().replace(tx, call))));
  }

  @Override
  public void getTurnJournal(
      GetTurnJournalRequest request, StreamObserver<GetTurnJournalResponse> observer) {
    SubmissionId submission = SubmissionRequests.submission(request.getSubmissionId());
    calls.answer(
        observer,
        () -> {
          TurnJournal journal =
              transactions.snapshot("GetTurnJournal", tx -> stores.turns().journal(tx, submission));
          return GetTurnJournalResponse.newBuilder().setJournal(SlotMessages.from(journal)).build();
        });
  }

  @Override
  public void listTurns(ListTurnsRequest request, StreamObserver<ListTurnsResponse> observer) {
    SubmissionId submission = SubmissionRequests.submission(request.getSubmissionId());
    PageRequest page = PageRequest.of("turns of " + submission.id(), request.getPage());
    long above = page.after() == null ? 0 : Long.parseLong(page.after());
    calls.answer(
        observer,
        () -> {
          List<TurnFacts> turns =
              transactions.snapshot(
                  "ListTurns", tx -> stores.turns().list(tx, submission, above, page.size() + 1));
          ListTurnsResponse.Builder message = ListTurnsResponse.newBuilder();
          turns.stream().limit(page.size()).map(TurnMessages::from).forEach(message::addTurns);
          if (turns.size() > page.size()) {
            long last = turns.get(page.size() - 1).revision();
            message.setNextPageToken(page.tokenAfter(Long.toString(last)));
          }
          return message.build();
        });
  }

  @Override
  public void readToolRequest(
      ReadToolRequestRequest request, StreamObserver<ReadToolRequestResponse> observer) {
    SubmissionId submission = SubmissionRequests.submission(request.getSubmissionId());
    String turnId = request.getTurnId();
    if (!turnId.isEmpty()) {
      Identifier.check("turn_id", turnId);
    }
    streamed.answer(
        observer,
        () -> {
          List<ToolCall> found =
              transactions.snapshot(
                  "ReadToolRequest", tx -> stores.turns().calls(tx, submission, turnId));
          return TurnMessages.parts(found).iterator();
        });
  }
}

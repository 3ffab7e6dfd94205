package io.agentjournal.run;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.Identifier;
import io.agentjournal.key.RunId;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.rpc.Draining;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.rpc.StreamedAnswers;
import io.agentjournal.rpc.UnaryCalls;
import io.agentjournal.v1.AppendEventsRequest;
import io.agentjournal.v1.AppendEventsResponse;
import io.agentjournal.v1.AppendEventsSessionRequest;
import io.agentjournal.v1.AppendEventsSessionResponse;
import io.agentjournal.v1.AssertReplayOrderRequest;
import io.agentjournal.v1.AssertReplayOrderResponse;
import io.agentjournal.v1.ClaimRunRequest;
import io.agentjournal.v1.ClaimRunResponse;
import io.agentjournal.v1.CloseRunRequest;
import io.agentjournal.v1.CloseRunResponse;
import io.agentjournal.v1.DeleteRunRequest;
import io.agentjournal.v1.DeleteRunResponse;
import io.agentjournal.v1.GetEventRequest;
import io.agentjournal.v1.GetEventResponse;
import io.agentjournal.v1.GetLastIterationRequest;
import io.agentjournal.v1.GetLastIterationResponse;
import io.agentjournal.v1.GetReplayIndexRequest;
import io.agentjournal.v1.GetReplayIndexResponse;
import io.agentjournal.v1.GetRunRequest;
import io.agentjournal.v1.GetRunResponse;
import io.agentjournal.v1.ListEventsRequest;
import io.agentjournal.v1.ListEventsResponse;
import io.agentjournal.v1.ListInterruptedRunsRequest;
import io.agentjournal.v1.ListInterruptedRunsResponse;
import io.agentjournal.v1.ListRunsRequest;
import io.agentjournal.v1.ListRunsResponse;
import io.agentjournal.v1.OpenRunRequest;
import io.agentjournal.v1.OpenRunResponse;
import io.agentjournal.v1.RenewRunLeaseRequest;
import io.agentjournal.v1.RenewRunLeaseResponse;
import io.agentjournal.v1.RunJournalServiceGrpc;
import io.agentjournal.v1.SetCheckpointRequest;
import io.agentjournal.v1.SetCheckpointResponse;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/** The calls of RunJournalService; run.proto says what they do. */
public final class RunService extends RunJournalServiceGrpc.RunJournalServiceImplBase {
  private final RunStore runs;
  private final EventStore events;
  private final UnaryCalls calls;
  private final StreamedAnswers streams;
  private final AppendCalls appends;

  public RunService(
      Transactions transactions, BlockingPool pool, AppendLanes lanes, Draining draining) {
    this.runs = new RunStore(transactions);
    this.events = new EventStore(transactions);
    this.calls = new UnaryCalls(pool);
    this.streams = new StreamedAnswers(pool);
    this.appends = new AppendCalls(pool, lanes, draining);
  }

  @Override
  public void openRun(OpenRunRequest request, StreamObserver<OpenRunResponse> observer) {
    calls.answer(
        observer,
        () -> {
          long since = System.nanoTime();
          RunChange opened =
              runs.open(RunMessages.opening(NamespaceInterceptor.current(), request));
          return OpenRunResponse.newBuilder()
              .setApplied(opened.applied())
              .setRun(RunMessages.from(opened.run(), since))
              .build();
        });
  }

  @Override
  public void setCheckpoint(
      SetCheckpointRequest request, StreamObserver<SetCheckpointResponse> observer) {
    calls.answer(
        observer,
        () -> {
          long since = System.nanoTime();
          RunChange changed =
              runs.setCheckpoint(
                  run(request.getRunId()),
                  RunOpening.checkCheckpoint(request.getCheckpointId()),
                  RunMessages.claimId(request.getClaimId()));
          return SetCheckpointResponse.newBuilder()
              .setApplied(changed.applied())
              .setRun(RunMessages.from(changed.run(), since))
              .build();
        });
  }

  @Override
  public void closeRun(CloseRunRequest request, StreamObserver<CloseRunResponse> observer) {
    calls.answer(
        observer,
        () -> {
          long since = System.nanoTime();
          RunChange closed =
              runs.close(
                  run(request.getRunId()),
                  RunMessages.outcome(request.getOutcome()),
                  RunMessages.claimId(request.getClaimId()));
          return CloseRunResponse.newBuilder()
              .setApplied(closed.applied())
              .setRun(RunMessages.from(closed.run(), since))
              .build();
        });
  }

  @Override
  public void getRun(GetRunRequest request, StreamObserver<GetRunResponse> observer) {
    calls.answer(
        observer,
        () -> {
          long since = System.nanoTime();
          Run run = runs.get(run(request.getRunId()));
          return GetRunResponse.newBuilder().setRun(RunMessages.from(run, since)).build();
        });
  }

  @Override
  public void listRuns(ListRunsRequest request, StreamObserver<ListRunsResponse> observer) {
    calls.answer(
        observer,
        () -> {
          long since = System.nanoTime();
          RunQuery query = RunMessages.query(NamespaceInterceptor.current(), request);
          RunPage page = runs.list(query);
          return ListRunsResponse.newBuilder()
              .addAllRuns(RunMessages.from(page, since))
              .setNextPageToken(RunMessages.nextPageToken(query, page))
              .build();
        });
  }

  @Override
  public void listInterruptedRuns(
      ListInterruptedRunsRequest request, StreamObserver<ListInterruptedRunsResponse> observer) {
    calls.answer(
        observer,
        () -> {
          long since = System.nanoTime();
          RunQuery query = RunMessages.query(NamespaceInterceptor.current(), request);
          RunPage page = runs.list(query);
          return ListInterruptedRunsResponse.newBuilder()
              .addAllRuns(RunMessages.from(page, since))
              .setNextPageToken(RunMessages.nextPageToken(query, page))
              .build();
        });
  }

  @Override
  public void claimRun(ClaimRunRequest request, StreamObserver<ClaimRunResponse> observer) {
    calls.answer(
        observer,
        () -> {
          long since = System.nanoTime();
          NewClaim claim = RunMessages.newClaim(request.getClaimId(), request.getLease());
          Optional<RunChange> claimed =
              request.getRunId().isEmpty()
                  ? runs.claimOldest(NamespaceInterceptor.current(), claim)
                  : Optional.of(runs.claim(run(request.getRunId()), claim));
          ClaimRunResponse.Builder answer = ClaimRunResponse.newBuilder();
          claimed.ifPresent(
              change ->
                  answer
                      .setApplied(change.applied())
                      .setRun(RunMessages.from(change.run(), since)));
          return answer.build();
        });
  }

  @Override
  public void renewRunLease(
      RenewRunLeaseRequest request, StreamObserver<RenewRunLeaseResponse> observer) {
    calls.answer(
        observer,
        () -> {
          long since = System.nanoTime();
          Run run =
              runs.renew(
                  run(request.getRunId()),
                  Identifier.check("claim_id", request.getClaimId()),
                  RunMessages.leaseDuration(request.getLease()));
          return RenewRunLeaseResponse.newBuilder().setRun(RunMessages.from(run, since)).build();
        });
  }

  @Override
  public void deleteRun(DeleteRunRequest request, StreamObserver<DeleteRunResponse> observer) {
    calls.answer(
        observer,
        () -> {
          runs.delete(run(request.getRunId()), RunMessages.claimId(request.getClaimId()));
          return DeleteRunResponse.newBuilder().setApplied(true).build();
        });
  }

  @Override
  public void appendEvents(
      AppendEventsRequest request, StreamObserver<AppendEventsResponse> observer) {
    appends.answer(request, observer);
  }

  @Override
  public StreamObserver<AppendEventsSessionRequest> appendEventsSession(
      StreamObserver<AppendEventsSessionResponse> observer) {
    return appends.session(observer);
  }

  @Override
  public void listEvents(ListEventsRequest request, StreamObserver<ListEventsResponse> observer) {
    streams.answer(
        observer,
        () ->
            new EventAnswers<>(
                events.reader(run(request.getRunId()), EventMessages.filter(request)),
                page -> ListEventsResponse.newBuilder().addAllEvents(page).build(),
                end -> ListEventsResponse.newBuilder().setEnd(end).build()));
  }

  @Override
  public void getReplayIndex(
      GetReplayIndexRequest request, StreamObserver<GetReplayIndexResponse> observer) {
    streams.answer(
        observer,
        () ->
            new EventAnswers<>(
                events.reader(run(request.getRunId()), EventFilter.ALL),
                page -> GetReplayIndexResponse.newBuilder().addAllEvents(page).build(),
                end -> GetReplayIndexResponse.newBuilder().setEnd(end).build()));
  }

  @Override
  public void getEvent(GetEventRequest request, StreamObserver<GetEventResponse> observer) {
    calls.answer(
        observer,
        () -> {
          EventKind kind = EventMessages.kind("kind", request.getKind());
          EventKey key = new EventKey(request.getSeq(), kind);
          return events
              .find(run(request.getRunId()), key)
              .map(EventMessages::found)
              .orElse(GetEventResponse.getDefaultInstance());
        });
  }

  @Override
  public void getLastIteration(
      GetLastIterationRequest request, StreamObserver<GetLastIterationResponse> observer) {
    calls.answer(
        observer,
        () -> {
          GetLastIterationResponse.Builder answer = GetLastIterationResponse.newBuilder();
          events.lastIteration(run(request.getRunId())).ifPresent(answer::setIndex);
          return answer.build();
        });
  }

  @Override
  public void assertReplayOrder(
      AssertReplayOrderRequest request, StreamObserver<AssertReplayOrderResponse> observer) {
    calls.answer(
        observer,
        () -> {
          events.requireOrder(run(request.getRunId()), EventMessages.order(request));
          return AssertReplayOrderResponse.getDefaultInstance();
        });
  }

  private static RunId run(String runId) {
    return new RunId(NamespaceInterceptor.current(), runId);
  }
}

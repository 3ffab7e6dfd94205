package io.agentjournal.submission;

import io.agentjournal.database.Transactions;
import io.agentjournal.database.Work;
import io.agentjournal.event.WatchSubmissionCalls;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.rpc.Draining;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.rpc.StreamedAnswers;
import io.agentjournal.rpc.UnaryCalls;
import io.agentjournal.transcript.NewEntries;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AdmitSubmissionResponse;
import io.agentjournal.v1.ClaimNextSubmissionRequest;
import io.agentjournal.v1.ClaimNextSubmissionResponse;
import io.agentjournal.v1.ClaimSubmissionRequest;
import io.agentjournal.v1.ClaimSubmissionResponse;
import io.agentjournal.v1.GetReceiptRequest;
import io.agentjournal.v1.GetReceiptResponse;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.GetSubmissionResponse;
import io.agentjournal.v1.ListAttemptMarkersRequest;
import io.agentjournal.v1.ListAttemptMarkersResponse;
import io.agentjournal.v1.ListSubmissionsRequest;
import io.agentjournal.v1.ListSubmissionsResponse;
import io.agentjournal.v1.MarkInputAppliedRequest;
import io.agentjournal.v1.MarkInputAppliedResponse;
import io.agentjournal.v1.ReadInputRequest;
import io.agentjournal.v1.ReadInputResponse;
import io.agentjournal.v1.RenewLeasesRequest;
import io.agentjournal.v1.RenewLeasesResponse;
import io.agentjournal.v1.RequestAbortRequest;
import io.agentjournal.v1.RequestAbortResponse;
import io.agentjournal.v1.RequestRecoveryRequest;
import io.agentjournal.v1.RequestRecoveryResponse;
import io.agentjournal.v1.RequeueSubmissionRequest;
import io.agentjournal.v1.RequeueSubmissionResponse;
import io.agentjournal.v1.ResumeSubmissionRequest;
import io.agentjournal.v1.ResumeSubmissionResponse;
import io.agentjournal.v1.SettleSubmissionRequest;
import io.agentjournal.v1.SettleSubmissionResponse;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SuspendSubmissionRequest;
import io.agentjournal.v1.SuspendSubmissionResponse;
import io.agentjournal.v1.WatchSubmissionRequest;
import io.agentjournal.v1.WatchSubmissionResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.function.Function;

/** The calls of SubmissionService. To be closed when there are no calls any more. */
public final class SubmissionService extends SubmissionServiceGrpc.SubmissionServiceImplBase
    implements AutoCloseable {
  private final UnaryCalls calls;
  private final Transactions transactions;
  private final SubmissionStores stores;
  private final SubmissionReadCalls reads;
  private final InterventionCalls interventions;
  private final LeaseWatch leaseWatch;
  private final RenewLeasesCalls renewals;
  private final WorkWatch workWatch;
  private final ClaimNextCalls nextClaims;
  private final WatchSubmissionCalls watches;

  /**
   * Starts the threads that look for the calls that wait.
   *
   * @param abortGrace how long after an abort request leases are renewed
   */
  public SubmissionService(
      BlockingPool pool,
      Draining draining,
      Transactions transactions,
      SubmissionStores stores,
      Duration abortGrace,
      WatchSubmissionCalls watches) {
    this.watches = watches;
    this.calls = new UnaryCalls(pool);
    this.reads = new SubmissionReadCalls(calls, new StreamedAnswers(pool), transactions, stores);
    this.transactions = transactions;
    this.stores = stores;
    this.interventions = new InterventionCalls(calls, transactions, stores);
    this.leaseWatch = new LeaseWatch(transactions);
    this.renewals =
        new RenewLeasesCalls(pool, new LeaseStore(transactions, abortGrace), leaseWatch);
    this.workWatch = new WorkWatch(transactions);
    this.nextClaims = new ClaimNextCalls(pool, stores.nextClaims(transactions), workWatch);
    draining.onBegin(leaseWatch::end);
    draining.onBegin(workWatch::end);
  }

  private <R, T> void answer(
      StreamObserver<T> observer, String name, Work<R> work, Function<R, T> response) {
    calls.answer(observer, () -> response.apply(transactions.run(name, work)));
  }

  /** As {@link #answer}, for what may make work for those that wait for some. */
  private <R, T> void answerAndLook(
      StreamObserver<T> observer, String name, Work<R> work, Function<R, T> response) {
    calls.answer(
        observer,
        () -> {
          R result = transactions.run(name, work);
          workWatch.lookNow();
          return response.apply(result);
        });
  }

  @Override
  public void admitSubmission(
      AdmitSubmissionRequest request, StreamObserver<AdmitSubmissionResponse> observer) {
    NewSubmission submission = SubmissionRequests.admission(request);
    answerAndLook(
        observer,
        "AdmitSubmission",
        tx -> stores.admissions().admit(tx, submission),
        SubmissionAnswers::admitted);
  }

  @Override
  public void claimSubmission(
      ClaimSubmissionRequest request, StreamObserver<ClaimSubmissionResponse> observer) {
    AttemptId attempt = SubmissionRequests.attempt(request.getAttempt());
    LeaseGrant lease = SubmissionRequests.lease(request.getLease());
    answer(
        observer,
        "ClaimSubmission",
        tx -> stores.claims().claim(tx, attempt, lease),
        SubmissionAnswers::claimed);
  }

  @Override
  public void claimNextSubmission(
      ClaimNextSubmissionRequest request, StreamObserver<ClaimNextSubmissionResponse> observer) {
    nextClaims.start(request, (ServerCallStreamObserver<ClaimNextSubmissionResponse>) observer);
  }

  @Override
  public void markInputApplied(
      MarkInputAppliedRequest request, StreamObserver<MarkInputAppliedResponse> observer) {
    AttemptId attempt = SubmissionRequests.attempt(request.getAttempt());
    NewEntries entries =
        SubmissionRequests.entries(
            request.getAttempt(),
            request.getEntriesList(),
            request.hasExpectedLeafId() ? request.getExpectedLeafId() : null);
    answer(
        observer,
        "MarkInputApplied",
        tx -> stores.inputs().apply(tx, attempt, entries),
        SubmissionAnswers::applied);
  }

  @Override
  public void renewLeases(
      RenewLeasesRequest request, StreamObserver<RenewLeasesResponse> observer) {
    renewals.start(request, (ServerCallStreamObserver<RenewLeasesResponse>) observer);
  }

  @Override
  public void requestRecovery(
      RequestRecoveryRequest request, StreamObserver<RequestRecoveryResponse> observer) {
    interventions.requestRecovery(request, observer);
  }

  @Override
  public void requeueSubmission(
      RequeueSubmissionRequest request, StreamObserver<RequeueSubmissionResponse> observer) {
    AttemptId attempt = SubmissionRequests.attempt(request.getAttempt());
    Duration delay = SubmissionRequests.delay(request.hasDelay(), request.getDelay());
    String reason = SubmissionRequests.reason(request.getReason());
    answerAndLook(
        observer,
        "RequeueSubmission",
        tx -> {
          boolean applied =
              stores.requeues().requeue(tx, attempt, AttemptEnd.REQUEUED, delay, reason);
          return stores.submissions().changed(tx, applied, attempt.submission());
        },
        SubmissionAnswers::requeued);
  }

  @Override
  public void suspendSubmission(
      SuspendSubmissionRequest request, StreamObserver<SuspendSubmissionResponse> observer) {
    AttemptId attempt = SubmissionRequests.attempt(request.getAttempt());
    Suspension suspension = SubmissionRequests.suspension(request);
    answer(
        observer,
        "SuspendSubmission",
        tx -> {
          boolean applied = stores.waits().suspend(tx, attempt, suspension);
          return stores.submissions().changed(tx, applied, attempt.submission());
        },
        SubmissionAnswers::suspended);
  }

  @Override
  public void resumeSubmission(
      ResumeSubmissionRequest request, StreamObserver<ResumeSubmissionResponse> observer) {
    SubmissionId id = SubmissionRequests.submission(request.getSubmissionId());
    Answer answer = SubmissionRequests.answer(request);
    answerAndLook(
        observer,
        "ResumeSubmission",
        tx -> stores.submissions().changed(tx, stores.waits().resume(tx, id, answer), id),
        SubmissionAnswers::resumed);
  }

  @Override
  public void settleSubmission(
      SettleSubmissionRequest request, StreamObserver<SettleSubmissionResponse> observer) {
    AttemptId attempt = SubmissionRequests.attempt(request.getAttempt());
    Settlement settlement = SubmissionRequests.settlement(request.getSettlement());
    NewEntries entries =
        SubmissionRequests.entries(
            request.getAttempt(),
            request.getEntriesList(),
            request.hasExpectedLeafId() ? request.getExpectedLeafId() : null);
    answerAndLook(
        observer,
        "SettleSubmission",
        tx -> {
          boolean applied = stores.settlements().settle(tx, attempt, settlement, entries);
          return stores.submissions().changed(tx, applied, attempt.submission());
        },
        SubmissionAnswers::settled);
  }

  @Override
  public void requestAbort(
      RequestAbortRequest request, StreamObserver<RequestAbortResponse> observer) {
    interventions.requestAbort(request, observer);
  }

  @Override
  public void getSubmission(
      GetSubmissionRequest request, StreamObserver<GetSubmissionResponse> observer) {
    reads.get(request, observer);
  }

  @Override
  public void readInput(ReadInputRequest request, StreamObserver<ReadInputResponse> observer) {
    reads.input(request, observer);
  }

  @Override
  public void listSubmissions(
      ListSubmissionsRequest request, StreamObserver<ListSubmissionsResponse> observer) {
    reads.list(request, observer);
  }

  @Override
  public void listAttemptMarkers(
      ListAttemptMarkersRequest request, StreamObserver<ListAttemptMarkersResponse> observer) {
    reads.attempts(request, observer);
  }

  @Override
  public void getReceipt(GetReceiptRequest request, StreamObserver<GetReceiptResponse> observer) {
    reads.receipt(request, observer);
  }

  @Override
  public void watchSubmission(
      WatchSubmissionRequest request, StreamObserver<WatchSubmissionResponse> observer) {
    watches.start(
        NamespaceInterceptor.current(),
        request,
        (ServerCallStreamObserver<WatchSubmissionResponse>) observer);
  }

  @Override
  public void close() {
    leaseWatch.close();
    workWatch.close();
  }
}

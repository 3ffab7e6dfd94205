package io.agentjournal.submission;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.plan.PlanMessages;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.rpc.Draining;
import io.agentjournal.rpc.UnaryCalls;
import io.agentjournal.slot.SlotMessages;
import io.agentjournal.transcript.EntryMessages;
import io.agentjournal.transcript.NewEntries;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AdmitSubmissionResponse;
import io.agentjournal.v1.ClaimSubmissionRequest;
import io.agentjournal.v1.ClaimSubmissionResponse;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.GetSubmissionResponse;
import io.agentjournal.v1.MarkInputAppliedRequest;
import io.agentjournal.v1.MarkInputAppliedResponse;
import io.agentjournal.v1.RenewLeasesRequest;
import io.agentjournal.v1.RenewLeasesResponse;
import io.agentjournal.v1.SettleSubmissionRequest;
import io.agentjournal.v1.SettleSubmissionResponse;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;

/** The calls of SubmissionService. To be closed when there are no calls any more. */
public final class SubmissionService extends SubmissionServiceGrpc.SubmissionServiceImplBase
    implements AutoCloseable {
  private final UnaryCalls calls;
  private final Transactions transactions;
  private final SubmissionStores stores;
  private final LeaseWatch leaseWatch;
  private final RenewLeasesCalls renewals;

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
      Duration abortGrace) {
    this.calls = new UnaryCalls(pool);
    this.transactions = transactions;
    this.stores = stores;
    this.leaseWatch = new LeaseWatch(transactions);
    this.renewals =
        new RenewLeasesCalls(pool, new LeaseStore(transactions, abortGrace), leaseWatch);
    draining.onBegin(leaseWatch::end);
  }

  @Override
  public void admitSubmission(
      AdmitSubmissionRequest request, StreamObserver<AdmitSubmissionResponse> answers) {
    NewSubmission submission = SubmissionRequests.admission(request);
    calls.answer(
        answers,
        () -> {
          Admitted admitted =
              transactions.run(
                  "admit_submission",
                  connection -> stores.admissions().admit(connection, submission));
          AdmitSubmissionResponse.Builder response =
              AdmitSubmissionResponse.newBuilder()
                  .setApplied(admitted.applied())
                  .setReceipt(SubmissionMessages.from(admitted.receipt()));
          if (admitted.submission() != null) {
            response.setSubmission(SubmissionMessages.from(admitted.submission()));
          }
          return response.build();
        });
  }

  @Override
  public void claimSubmission(
      ClaimSubmissionRequest request, StreamObserver<ClaimSubmissionResponse> answers) {
    AttemptId attempt = SubmissionRequests.attempt(request.getAttempt());
    LeaseGrant lease = SubmissionRequests.lease(request.getLease());
    calls.answer(
        answers,
        () -> {
          Claimed claimed =
              transactions.run(
                  "claim_submission",
                  connection -> stores.claims().claim(connection, attempt, lease));
          ClaimSubmissionResponse.Builder response =
              ClaimSubmissionResponse.newBuilder()
                  .setApplied(claimed.applied())
                  .setSubmission(SubmissionMessages.from(claimed.submission()))
                  .setPlan(PlanMessages.from(claimed.plan()));
          if (claimed.journal() != null) {
            response.setJournal(SlotMessages.from(claimed.journal()));
          }
          return response.build();
        });
  }

  @Override
  public void markInputApplied(
      MarkInputAppliedRequest request, StreamObserver<MarkInputAppliedResponse> answers) {
    AttemptId attempt = SubmissionRequests.attempt(request.getAttempt());
    NewEntries entries =
        EntryMessages.from(
            request.getEntriesList(),
            request.hasExpectedLeafId() ? request.getExpectedLeafId() : null,
            attempt.submission().id(),
            null);
    calls.answer(
        answers,
        () -> {
          InputStore.Applied applied =
              transactions.run(
                  "mark_input_applied",
                  connection -> stores.inputs().apply(connection, attempt, entries));
          MarkInputAppliedResponse.Builder response =
              MarkInputAppliedResponse.newBuilder().setApplied(applied.applied());
          if (applied.leafId() != null) {
            response.setLeafId(applied.leafId());
          }
          return response.build();
        });
  }

  @Override
  public void renewLeases(RenewLeasesRequest request, StreamObserver<RenewLeasesResponse> answers) {
    renewals.start(request, (ServerCallStreamObserver<RenewLeasesResponse>) answers);
  }

  @Override
  public void settleSubmission(
      SettleSubmissionRequest request, StreamObserver<SettleSubmissionResponse> answers) {
    AttemptId attempt = SubmissionRequests.attempt(request.getAttempt());
    Settlement settlement = SubmissionRequests.settlement(request.getSettlement());
    NewEntries entries =
        EntryMessages.from(
            request.getEntriesList(),
            request.hasExpectedLeafId() ? request.getExpectedLeafId() : null,
            attempt.submission().id(),
            null);
    calls.answer(
        answers,
        () -> {
          Changed changed =
              transactions.run(
                  "settle_submission",
                  connection -> {
                    boolean applied =
                        stores.settlements().settle(connection, attempt, settlement, entries);
                    return stores.submissions().changed(connection, applied, attempt.submission());
                  });
          return SettleSubmissionResponse.newBuilder()
              .setApplied(changed.applied())
              .setSubmission(SubmissionMessages.from(changed.submission()))
              .build();
        });
  }

  @Override
  public void getSubmission(
      GetSubmissionRequest request, StreamObserver<GetSubmissionResponse> answers) {
    SubmissionId id = SubmissionRequests.submission(request.getSubmissionId());
    calls.answer(
        answers,
        () -> {
          Overview overview =
              transactions.readOnly(
                  "get_submission", connection -> stores.overviews().read(connection, id));
          GetSubmissionResponse.Builder response =
              GetSubmissionResponse.newBuilder()
                  .setSubmission(SubmissionMessages.from(overview.submission()));
          if (overview.journal() != null) {
            response.setJournal(SlotMessages.from(overview.journal()));
          }
          return response.build();
        });
  }

  @Override
  public void close() {
    leaseWatch.close();
  }
}

package io.agentjournal.submission;

import io.agentjournal.database.Transactions;
import io.agentjournal.database.Work;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.rpc.UnaryCalls;
import io.agentjournal.submission.RecoveryRequestStore.RecoveryWish;
import io.agentjournal.v1.RequestAbortRequest;
import io.agentjournal.v1.RequestAbortResponse;
import io.agentjournal.v1.RequestRecoveryRequest;
import io.agentjournal.v1.RequestRecoveryResponse;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Function;

/** The calls by which one intervenes from outside, in one submission or in many. */
final class InterventionCalls {
  private final UnaryCalls calls;
  private final Transactions transactions;
  private final SubmissionStores stores;
  private final SliceWalks walks;

  InterventionCalls(UnaryCalls calls, Transactions transactions, SubmissionStores stores) {
    this.calls = calls;
    this.transactions = transactions;
    this.stores = stores;
    this.walks = new SliceWalks(transactions, stores);
  }

  private <R, T> void answer(
      StreamObserver<T> observer, String name, Work<R> work, Function<R, T> response) {
    calls.answer(observer, () -> response.apply(transactions.run(name, work)));
  }

  void requestRecovery(
      RequestRecoveryRequest request, StreamObserver<RequestRecoveryResponse> observer) {
    Function<List<String>, RequestRecoveryResponse> response =
        ids -> RequestRecoveryResponse.newBuilder().addAllSubmissionIds(ids).build();
    RecoveryWish wish = SubmissionRequests.wish(request);
    switch (request.getWhichCase()) {
      case ATTEMPT -> {
        AttemptId attempt = SubmissionRequests.attempt(request.getAttempt());
        answer(
            observer,
            "RequestRecovery",
            tx -> stores.recoveryRequests().ofAttempt(tx, attempt, wish),
            response);
      }
      case SUBMISSION_ID -> {
        SubmissionId id = SubmissionRequests.submission(request.getSubmissionId());
        answer(
            observer,
            "RequestRecovery",
            tx -> stores.recoveryRequests().ofSubmission(tx, id, wish),
            response);
      }
      case OWNER -> {
        Namespace namespace = NamespaceInterceptor.current();
        String owner = SubmissionRequests.owner(request.getOwner());
        calls.answer(observer, () -> response.apply(walks.requestRecovery(namespace, owner, wish)));
      }
      case WHICH_NOT_SET ->
          throw InvalidField.because("which", "missing: attempt, submission_id or owner");
    }
  }

  void requestAbort(RequestAbortRequest request, StreamObserver<RequestAbortResponse> observer) {
    Function<List<String>, RequestAbortResponse> response =
        ids -> RequestAbortResponse.newBuilder().addAllSubmissionIds(ids).build();
    String reason = SubmissionRequests.reason(request.getReason());
    switch (request.getWhichCase()) {
      case SUBMISSION_ID -> {
        SubmissionId id = SubmissionRequests.submission(request.getSubmissionId());
        answer(observer, "RequestAbort", tx -> stores.aborts().abort(tx, id, reason), response);
      }
      case SESSION_KEY -> {
        SessionKey key = new SessionKey(NamespaceInterceptor.current(), request.getSessionKey());
        calls.answer(observer, () -> response.apply(walks.abortSession(key, reason)));
      }
      case WHICH_NOT_SET ->
          throw InvalidField.because("which", "missing: submission_id or session_key");
    }
  }
}

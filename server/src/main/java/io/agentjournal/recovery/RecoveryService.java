package io.agentjournal.recovery;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.AttemptId;
import io.agentjournal.key.Identifier;
import io.agentjournal.key.Namespace;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.rpc.BlockingPool;
import io.agentjournal.rpc.Draining;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.rpc.PageRequest;
import io.agentjournal.rpc.UnaryCalls;
import io.agentjournal.submission.SubmissionRequests;
import io.agentjournal.v1.ListRecoverableRequest;
import io.agentjournal.v1.ListRecoverableResponse;
import io.agentjournal.v1.PlanRecoveryRequest;
import io.agentjournal.v1.PlanRecoveryResponse;
import io.agentjournal.v1.RecoveryServiceGrpc.RecoveryServiceImplBase;
import io.agentjournal.v1.TakeOverRequest;
import io.agentjournal.v1.TakeOverResponse;
import io.agentjournal.v1.WatchRecoverableRequest;
import io.agentjournal.v1.WatchRecoverableResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls of RecoveryService. */
public final class RecoveryService extends RecoveryServiceImplBase {
  private static final int MAX_QUEUES = 100;

  private final Transactions transactions;
  private final BlockingPool pool;
  private final UnaryCalls calls;
  private final Draining draining;
  private final RecoveryStore store;
  private final OverdueStore overdue;
  private final RecoverableWatch watch;

  public RecoveryService(
      Transactions transactions,
      BlockingPool pool,
      Draining draining,
      RecoveryStore store,
      OverdueStore overdue,
      RecoverableWatch watch) {
    this.transactions = transactions;
    this.pool = pool;
    this.calls = new UnaryCalls(pool);
    this.draining = draining;
    this.store = store;
    this.overdue = overdue;
    this.watch = watch;
  }

  @Override
  public void planRecovery(
      PlanRecoveryRequest request, StreamObserver<PlanRecoveryResponse> observer) {
    SubmissionId submission = SubmissionRequests.submission(request.getSubmissionId());
    @Nullable String attemptId =
        request.getAttemptId().isEmpty()
            ? null
            : Identifier.check("attempt_id", request.getAttemptId());
    calls.answer(
        observer,
        () ->
            RecoveryMessages.planned(
                transactions.snapshot(
                    "plan_recovery", tx -> store.plan(tx, submission, attemptId))));
  }

  @Override
  public void listRecoverable(
      ListRecoverableRequest request, StreamObserver<ListRecoverableResponse> observer) {
    Namespace namespace = NamespaceInterceptor.current();
    List<String> queues = queues(request.getQueuesList());
    PageRequest page =
        PageRequest.of("recoverable of " + namespace.name() + queues, request.getPage());
    OverdueRows.@Nullable Position after =
        page.after() == null ? null : OverdueRows.Position.ofText(page.after());
    calls.answer(
        observer,
        () -> {
          OverdueStore.Page found = overdue.page(namespace, queues, after, page.size());
          ListRecoverableResponse.Builder message = ListRecoverableResponse.newBuilder();
          found.recoverable().stream()
              .map(RecoveryMessages::recoverable)
              .forEach(message::addRecoverable);
          if (found.last() != null) {
            message.setNextPageToken(page.tokenAfter(found.last().asText()));
          }
          return message.build();
        });
  }

  @Override
  public void watchRecoverable(
      WatchRecoverableRequest request, StreamObserver<WatchRecoverableResponse> observer) {
    new WatchRecoverableCall(
            NamespaceInterceptor.current(),
            queues(request.getQueuesList()),
            (ServerCallStreamObserver<WatchRecoverableResponse>) observer,
            pool,
            overdue,
            watch,
            draining)
        .start();
  }

  @Override
  public void takeOver(TakeOverRequest request, StreamObserver<TakeOverResponse> observer) {
    TakeOver call =
        new TakeOver(
            new AttemptId(
                SubmissionRequests.submission(request.getSubmissionId()), request.getAttemptId()),
            SubmissionRequests.lease(request.getLease()),
            request.getForce(),
            request.getReason());
    calls.answer(
        observer,
        () ->
            RecoveryMessages.takenOver(
                transactions.run("take_over", tx -> store.takeOver(tx, call))));
  }

  private static List<String> queues(List<String> queues) {
    if (queues.size() > MAX_QUEUES) {
      throw InvalidField.ofSize("queues", queues.size(), MAX_QUEUES);
    }
    return queues.stream().map(queue -> Identifier.check("queues", queue)).toList();
  }
}

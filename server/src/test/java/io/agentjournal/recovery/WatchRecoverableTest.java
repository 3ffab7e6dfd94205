package io.agentjournal.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.RecoveryServiceGrpc;
import io.agentjournal.v1.TakeOverRequest;
import io.agentjournal.v1.WatchRecoverableRequest;
import io.agentjournal.v1.WatchRecoverableResponse;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class WatchRecoverableTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  /** What one watching call was told: submission and the attempt that holds it. */
  private static final class Watching implements StreamObserver<WatchRecoverableResponse> {
    final List<String> told = new CopyOnWriteArrayList<>();
    final CompletableFuture<Throwable> end = new CompletableFuture<>();
    final Context.CancellableContext context = Context.current().withCancellation();

    static Watching on(Channel channel, String... queues) {
      Watching watching = new Watching();
      WatchRecoverableRequest request =
          WatchRecoverableRequest.newBuilder().addAllQueues(List.of(queues)).build();
      watching.context.run(
          () -> RecoveryServiceGrpc.newStub(channel).watchRecoverable(request, watching));
      return watching;
    }

    void awaitTold(String... submissionsAndAttempts) {
      Wait.until(
          "told of " + List.of(submissionsAndAttempts) + ", was " + told,
          () -> told.size() >= submissionsAndAttempts.length);
      assertEquals(List.of(submissionsAndAttempts), told);
    }

    @Override
    public void onNext(WatchRecoverableResponse response) {
      told.add(
          response.getRecoverable().getSubmission().getSubmissionId()
              + " "
              + response.getRecoverable().getSubmission().getAttemptId());
    }

    @Override
    public void onError(Throwable failure) {
      end.complete(failure);
    }

    @Override
    public void onCompleted() {
      end.complete(new IllegalStateException("completed"));
    }
  }

  private static String newQueue() {
    return "queue-" + UUID.randomUUID();
  }

  private static void takeOver(Trial trial, String attempt) {
    trial.recoveries.takeOver(
        TakeOverRequest.newBuilder()
            .setSubmissionId(trial.id)
            .setAttemptId(attempt)
            .setLease(LeaseRequest.newBuilder().setOwner("o"))
            .build());
  }

  @Test
  void those_that_are_recoverable_already_come_first_then_those_that_become_so() {
    String queue = newQueue();
    Trial first = Trial.expired(JOURNAL, queue);
    Watching watching = Watching.on(JOURNAL.channel(), queue);
    watching.awaitTold(first.id + " a");
    Trial second = Trial.expired(JOURNAL, queue);
    watching.awaitTold(first.id + " a", second.id + " a");
    watching.context.close();
  }

  @Test
  void each_attempt_is_told_once_and_the_next_one_when_it_is_overdue_too() {
    String queue = newQueue();
    Trial trial = Trial.expired(JOURNAL, queue);
    Watching watching = Watching.on(JOURNAL.channel(), queue);
    watching.awaitTold(trial.id + " a");
    takeOver(trial, "b");
    trial.stored.expireLease();
    watching.awaitTold(trial.id + " a", trial.id + " b");
    Trial marker = Trial.expired(JOURNAL, queue);
    watching.awaitTold(trial.id + " a", trial.id + " b", marker.id + " a");
    watching.context.close();
  }

  @Test
  void other_queues_are_not_told_of() {
    String queue = newQueue();
    Watching watching = Watching.on(JOURNAL.channel(), queue);
    Trial.expired(JOURNAL, newQueue());
    Trial mine = Trial.expired(JOURNAL, queue);
    watching.awaitTold(mine.id + " a");
    watching.context.close();
  }

  @Test
  void requested_recovery_is_told_without_waiting_for_the_lease() {
    String queue = newQueue();
    Watching watching = Watching.on(JOURNAL.channel(), queue);
    Trial trial = Trial.queued(JOURNAL, queue);
    trial.claim("a");
    trial.stored.update(
        """
        UPDATE submissions
           SET recovery_requested_at = now(), recovery_not_before = now(), recovery_reason = '',
               recovery_is_counted = false
         WHERE submission_id = ?
        """);
    watching.awaitTold(trial.id + " a");
    watching.context.close();
  }

  @Test
  void server_that_goes_away_says_so_and_another_one_goes_on() throws Exception {
    String queue = newQueue();
    JournalServer leaving = JOURNAL.anotherServer();
    ManagedChannel channel = JournalExtension.channelTo(leaving);
    Watching watching = Watching.on(channel, queue);
    Trial trial = Trial.expired(JOURNAL, queue);
    watching.awaitTold(trial.id + " a");
    leaving.close();
    Throwable end = watching.end.get(10, TimeUnit.SECONDS);
    Refused.of((StatusRuntimeException) end)
        .mustBe(Code.UNAVAILABLE, ErrorReason.ERROR_REASON_SERVER_DRAINING);
    channel.shutdownNow();
    Watching other = Watching.on(JOURNAL.channel(), queue);
    other.awaitTold(trial.id + " a");
    other.context.close();
  }
}

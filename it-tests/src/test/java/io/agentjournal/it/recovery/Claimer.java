package io.agentjournal.it.recovery;

import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.RecoveryServiceGrpc;
import io.agentjournal.v1.TakeOverRequest;
import io.agentjournal.v1.WatchRecoverableRequest;
import io.agentjournal.v1.WatchRecoverableResponse;
import io.grpc.Channel;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A worker that watches a queue and takes over whatever it is told of, in a thread of its own. */
final class Claimer implements Runnable {
  private final String name;
  private final String queue;
  private final RecoveryServiceGrpc.RecoveryServiceBlockingStub recoveries;
  private final List<String> taken = new CopyOnWriteArrayList<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();

  Claimer(String name, String queue, Channel channel) {
    this.name = name;
    this.queue = queue;
    this.recoveries = RecoveryServiceGrpc.newBlockingStub(channel);
  }

  @Override
  public void run() {
    Iterator<WatchRecoverableResponse> told =
        recoveries.watchRecoverable(WatchRecoverableRequest.newBuilder().addQueues(queue).build());
    try {
      while (told.hasNext()) {
        takeOver(told.next().getRecoverable().getSubmission().getSubmissionId());
      }
    } catch (StatusRuntimeException e) {
      // The test ends the watch by shutting the channel down.
      if (e.getStatus().getCode() != Code.UNAVAILABLE) {
        failures.add(e);
      }
    }
  }

  private void takeOver(String submissionId) {
    TakeOverRequest request =
        TakeOverRequest.newBuilder()
            .setSubmissionId(submissionId)
            .setAttemptId(name)
            .setLease(
                LeaseRequest.newBuilder().setOwner(name).setDuration(Durations.ofSeconds(600)))
            .build();
    try {
      if (recoveries.takeOver(request).getApplied()) {
        taken.add(submissionId);
      }
    } catch (StatusRuntimeException e) {
      // Somebody else was first, and holds it.
      if (e.getStatus().getCode() != Code.FAILED_PRECONDITION) {
        failures.add(e);
      }
    }
  }

  List<String> taken() {
    return taken;
  }

  List<Throwable> failures() {
    return failures;
  }
}

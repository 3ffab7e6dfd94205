package io.agentjournal.segment;

import io.agentjournal.rpc.AppendMemory;
import io.agentjournal.rpc.RefusalStatus;
import io.agentjournal.v1.PutSegmentsResponse;
import io.grpc.stub.StreamObserver;
import java.util.Map;

/** One PutSegments call: a single batch, answered from the lane's thread. */
final class PutCall implements Batch.Origin {
  private final String method;
  private final AppendMemory memory;
  private final StreamObserver<PutSegmentsResponse> observer;

  PutCall(String method, AppendMemory memory, StreamObserver<PutSegmentsResponse> observer) {
    this.method = method;
    this.memory = memory;
    this.observer = observer;
  }

  @Override
  public boolean isRefused() {
    return false;
  }

  @Override
  public void dropped(Batch batch) {
    throw new IllegalStateException("a call of one batch is never refused before it");
  }

  @Override
  public void flushed(Batch batch, Outcome outcome, boolean isLast) {
    memory.give(batch.sizeBytes());
    Head head = outcome.head();
    if (outcome.refusal() != null || head == null) {
      Map<String, String> howFar =
          head == null ? Map.of() : Map.of("next_index", Long.toString(head.nextIndex()));
      observer.onError(RefusalStatus.of(method, failure(outcome), howFar));
      return;
    }
    observer.onNext(
        PutSegmentsResponse.newBuilder()
            .setNextIndex(head.nextIndex())
            .setAppended(outcome.appended())
            .setDuplicates(outcome.duplicates())
            .setState(StreamMessages.state(head.state()))
            .setAbortRequested(head.abortRequested())
            .build());
    observer.onCompleted();
  }

  private static RuntimeException failure(Outcome outcome) {
    return outcome.refusal() == null
        ? new IllegalStateException("neither a head nor a refusal")
        : outcome.refusal();
  }
}

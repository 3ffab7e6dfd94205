package io.agentjournal.segment;

import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.AppendSessionResponse;
import io.grpc.stub.ServerCallStreamObserver;

/** How an append call answers. Used under the call's lock. */
interface AppendAnswers {
  /** Something became durable, or the head changed otherwise. */
  void progress(AppendProgress progress);

  /** All that the client sent is durable, and no more comes. */
  void complete(AppendProgress progress);

  void fail(RuntimeException status);

  /** Of AppendSegments: one answer, at the end. */
  record AtTheEnd(ServerCallStreamObserver<AppendSegmentsResponse> observer)
      implements AppendAnswers {
    @Override
    public void progress(AppendProgress progress) {}

    @Override
    public void complete(AppendProgress progress) {
      observer.onNext(
          AppendSegmentsResponse.newBuilder()
              .setNextIndex(progress.head().nextIndex())
              .setAppended(progress.appended())
              .setDuplicates(progress.duplicates())
              .setState(StreamMessages.state(progress.head().state()))
              .setAbortRequested(progress.head().abortRequested())
              .build());
      observer.onCompleted();
    }

    @Override
    public void fail(RuntimeException status) {
      observer.onError(status);
    }
  }

  /** Of AppendSession: an acknowledgement whenever there is something to tell. */
  record AsItGrows(ServerCallStreamObserver<AppendSessionResponse> observer)
      implements AppendAnswers {
    @Override
    public void progress(AppendProgress progress) {
      observer.onNext(
          AppendSessionResponse.newBuilder()
              .setNextIndex(progress.head().nextIndex())
              .setAppended(progress.appended())
              .setDuplicates(progress.duplicates())
              .setState(StreamMessages.state(progress.head().state()))
              .setAbortRequested(progress.head().abortRequested())
              .build());
    }

    @Override
    public void complete(AppendProgress progress) {
      observer.onCompleted();
    }

    @Override
    public void fail(RuntimeException status) {
      observer.onError(status);
    }
  }
}

package io.agentjournal.event;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.Namespace;
import io.agentjournal.segment.SegmentReads;
import io.agentjournal.v1.WatchSubmissionRequest;
import io.agentjournal.v1.WatchSubmissionResponse;
import io.grpc.stub.ServerCallStreamObserver;

/** The WatchSubmission calls of one server. To be closed when there are no calls any more. */
public final class WatchSubmissionCalls implements AutoCloseable {
  private final Watches watches;

  /**
   * Starts the thread that looks for the calls that wait.
   *
   * @param watching has a connection that is not waited for: what comes late to all watches is late
   *     in front of people
   * @param reads by whose threads the calls take their steps
   */
  public WatchSubmissionCalls(
      Transactions transactions, Transactions watching, SegmentReads reads) {
    this.watches =
        new Watches(
            new WatchStartStore(transactions),
            new WatchStore(transactions),
            new SubmissionWatch(watching),
            reads);
  }

  /** To be called from the service's method. */
  public void start(
      Namespace namespace,
      WatchSubmissionRequest request,
      ServerCallStreamObserver<WatchSubmissionResponse> client) {
    new WatchSubmissionCall(WatchMessages.request(namespace, request), client, watches).start();
  }

  @Override
  public void close() {
    watches.watch().close();
  }
}

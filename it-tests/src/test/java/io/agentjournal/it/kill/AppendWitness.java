package io.agentjournal.it.kill;

import io.agentjournal.it.kill.Ledger.Column;
import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;

/**
 * Stands between the client library and the connection, and enters in the ledger what passes. It
 * takes nobody's word for it, least of all the library's.
 */
final class AppendWitness implements ClientInterceptor {
  private final Ledger ledger;
  private final List<String> streamKeys;

  AppendWitness(Ledger ledger, List<String> streamKeys) {
    this.ledger = ledger;
    this.streamKeys = streamKeys;
  }

  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
    ClientCall<ReqT, RespT> call = next.newCall(method, options);
    return method == SegmentServiceGrpc.getAppendSessionMethod() ? new Watched<>(call) : call;
  }

  private final class Watched<ReqT, RespT> extends SimpleForwardingClientCall<ReqT, RespT> {
    private int stream = -1;

    /** The highest next_index that this call has told. */
    private volatile long told;

    Watched(ClientCall<ReqT, RespT> call) {
      super(call);
    }

    @Override
    public void sendMessage(ReqT message) {
      AppendSessionRequest request = (AppendSessionRequest) message;
      if (request.hasOpen()) {
        stream = streamKeys.indexOf(request.getOpen().getStreamKey());
      }
      if (request.getSegmentsCount() > 0) {
        long first = request.getFirstIndex();
        long next = first + request.getSegmentsCount();
        ledger.add(stream, Column.SENT_BELOW, Math.max(0, Math.min(next, told) - first));
        ledger.raise(stream, Column.SENT, next);
      }
      super.sendMessage(message);
    }

    @Override
    public void start(Listener<RespT> listener, Metadata headers) {
      super.start(
          new SimpleForwardingClientCallListener<>(listener) {
            @Override
            public void onMessage(RespT message) {
              told = ((AppendSessionResponse) message).getNextIndex();
              ledger.raise(stream, Column.ACKED, told);
              super.onMessage(message);
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
              if (stream >= 0) {
                ledger.set(stream, Column.ACKED_AT_CUT, ledger.get(stream, Column.ACKED));
                ledger.add(stream, Column.CUTS, 1);
              }
              super.onClose(status, trailers);
            }
          },
          headers);
    }
  }
}

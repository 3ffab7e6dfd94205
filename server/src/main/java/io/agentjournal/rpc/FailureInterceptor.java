package io.agentjournal.rpc;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The one place where failures become statuses: what a handler throws, and what it hands to its
 * observer's {@code onError}. It comes before all other interceptors, so that theirs are covered.
 */
public final class FailureInterceptor implements ServerInterceptor {
  @Override
  public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    ExplainedCall<ReqT, RespT> explained = new ExplainedCall<>(call);
    try {
      return new GuardedListener<>(next.startCall(explained, headers), explained);
    } catch (RuntimeException | Error e) {
      explained.fail(e);
      return new ServerCall.Listener<>() {};
    }
  }

  /** Ends once, and never as UNKNOWN: that is what gRPC makes of an exception that is no status. */
  private static final class ExplainedCall<ReqT, RespT>
      extends SimpleForwardingServerCall<ReqT, RespT> {
    private final AtomicBoolean closed = new AtomicBoolean();

    ExplainedCall(ServerCall<ReqT, RespT> call) {
      super(call);
    }

    @Override
    public void close(Status status, Metadata trailers) {
      Throwable cause = status.getCause();
      if (status.getCode() == Status.Code.UNKNOWN
          && cause != null
          && !trailers.containsKey(RefusalStatus.REASON)) {
        fail(cause);
      } else if (closed.compareAndSet(false, true)) {
        super.close(status, trailers);
      }
    }

    void fail(Throwable failure) {
      StatusRuntimeException status =
          RefusalStatus.of(getMethodDescriptor().getFullMethodName(), failure);
      Metadata trailers = status.getTrailers();
      if (closed.compareAndSet(false, true)) {
        super.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
      }
    }
  }

  private static final class GuardedListener<ReqT>
      extends SimpleForwardingServerCallListener<ReqT> {
    private final ExplainedCall<?, ?> call;

    GuardedListener(ServerCall.Listener<ReqT> listener, ExplainedCall<?, ?> call) {
      super(listener);
      this.call = call;
    }

    @Override
    public void onMessage(ReqT message) {
      guarded(() -> super.onMessage(message));
    }

    @Override
    public void onHalfClose() {
      guarded(super::onHalfClose);
    }

    @Override
    public void onReady() {
      guarded(super::onReady);
    }

    private void guarded(Runnable callback) {
      try {
        callback.run();
      } catch (RuntimeException | Error e) {
        call.fail(e);
      }
    }
  }
}

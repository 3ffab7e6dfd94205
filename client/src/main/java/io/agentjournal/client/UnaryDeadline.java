package io.agentjournal.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** No unary call waits for ever; streams last as long as their work. */
record UnaryDeadline(Duration deadline) implements ClientInterceptor {
  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
    boolean isMissing =
        method.getType() == MethodDescriptor.MethodType.UNARY && options.getDeadline() == null;
    return next.newCall(
        method,
        isMissing ? options.withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS) : options);
  }
}

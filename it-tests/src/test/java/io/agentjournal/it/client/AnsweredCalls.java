package io.agentjournal.it.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;

/** Runs something after each answer to a method's calls was handed to whoever called. */
record AnsweredCalls(String method, Runnable afterwards) implements ClientInterceptor {
  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> called, CallOptions options, Channel next) {
    ClientCall<ReqT, RespT> call = next.newCall(called, options);
    if (!method.equals(called.getBareMethodName())) {
      return call;
    }
    return new SimpleForwardingClientCall<>(call) {
      @Override
      public void start(Listener<RespT> listener, Metadata headers) {
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onMessage(RespT message) {
                super.onMessage(message);
                afterwards.run();
              }
            },
            headers);
      }
    };
  }
}

package io.agentjournal.client;

import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import org.jspecify.annotations.Nullable;

/** Says with every call in which namespace it is, and who makes it. */
record CallMetadata(@Nullable String namespace, @Nullable CallCredentials caller)
    implements ClientInterceptor {
  private static final Metadata.Key<String> NAMESPACE =
      Metadata.Key.of("agentjournal-namespace", Metadata.ASCII_STRING_MARSHALLER);

  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
    CallOptions signed = caller == null ? options : options.withCallCredentials(caller);
    return new SimpleForwardingClientCall<>(next.newCall(method, signed)) {
      @Override
      public void start(Listener<RespT> listener, Metadata headers) {
        if (namespace != null) {
          headers.put(NAMESPACE, namespace);
        }
        super.start(listener, headers);
      }
    };
  }
}

package io.agentjournal.rpc;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a call's W3C trace context for those that store it. One that is malformed counts as none,
 * as W3C wants it.
 */
public final class Traceparent implements ServerInterceptor {
  public static final Metadata.Key<String> HEADER =
      Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

  private static final Context.Key<String> CURRENT = Context.key("traceparent");

  /** Later versions may have more after the flags. */
  private static final Pattern FORM =
      Pattern.compile("(?!ff)[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-[!-~]{1,200})?");

  /** Of the call that this thread works for; null: it came without. */
  public static @Nullable String current() {
    return CURRENT.get();
  }

  @Override
  public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    String value = headers.get(HEADER);
    if (value == null || !FORM.matcher(value).matches()) {
      return next.startCall(call, headers);
    }
    Context context = Context.current().withValue(CURRENT, value);
    return Contexts.interceptCall(context, call, headers, next);
  }
}

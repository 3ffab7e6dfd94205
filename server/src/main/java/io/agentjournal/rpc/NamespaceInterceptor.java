package io.agentjournal.rpc;

import io.agentjournal.key.Namespace;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.Iterator;

/**
 * Reads a call's namespace from its metadata. An unusable one is thrown as a refusal, which {@link
 * FailureInterceptor} must be around to answer.
 */
public final class NamespaceInterceptor implements ServerInterceptor {
  public static final Metadata.Key<String> HEADER =
      Metadata.Key.of("agentjournal-namespace", Metadata.ASCII_STRING_MARSHALLER);

  private static final Context.Key<Namespace> CURRENT =
      Context.keyWithDefault("agentjournal-namespace", Namespace.DEFAULT);

  /** Of the call that this thread works for. */
  public static Namespace current() {
    return CURRENT.get();
  }

  @Override
  public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    Iterable<String> names = headers.getAll(HEADER);
    if (names == null) {
      return next.startCall(call, headers);
    }
    Context context = Context.current().withValue(CURRENT, new Namespace(only(names)));
    return Contexts.interceptCall(context, call, headers, next);
  }

  /** Of two, the one that a proxy has set could not be told from the one that a client has. */
  private static String only(Iterable<String> names) {
    Iterator<String> all = names.iterator();
    String name = all.next();
    if (all.hasNext()) {
      throw InvalidField.because(HEADER.name(), "more than one");
    }
    return name;
  }
}

package io.agentjournal.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import io.agentjournal.refusal.Refusal;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.TooLarge;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.InputStream;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests whose bytes are no message of their type, or whose text is no UTF-8, or that are
 * larger than any may be once they are inflated, as any other bad field. gRPC by itself ends such a
 * call as UNKNOWN, before anybody here hears of it; so messages are parsed where this can see it,
 * see {@link #parsedInside}.
 */
public final class MalformedRequests implements ServerInterceptor {
  private static final Context.Key<Call> CURRENT = Context.key("agentjournal-malformed");

  private final int maxBytes;

  /**
   * @param maxBytes of a message, as the transport has it
   */
  public MalformedRequests(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** The service, taking and giving messages as bytes, which it parses where interceptors see. */
  public static ServerServiceDefinition parsedInside(ServerServiceDefinition service) {
    return ServerInterceptors.useMarshalledMessages(service, new Bytes());
  }

  /**
   * Whoever has to do something before the call ends registers it while the call starts; without
   * one the refusal ends the call.
   */
  public static void onMalformed(Consumer<Refusal> listener) {
    Call call = CURRENT.get();
    if (call != null) {
      call.listener = listener;
    }
  }

  @Override
  public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    Call current = new Call();
    ServerCall.Listener<ReqT> inside =
        Contexts.interceptCall(Context.current().withValue(CURRENT, current), call, headers, next);
    return new SimpleForwardingServerCallListener<>(inside) {
      @Override
      public void onMessage(ReqT message) {
        try {
          super.onMessage(message);
        } catch (StatusRuntimeException e) {
          current.refuse(refusal(e));
        }
      }
    };
  }

  /** Throws what is neither. */
  private Refusal refusal(StatusRuntimeException failure) {
    if (failure.getCause() instanceof InvalidProtocolBufferException malformed) {
      return InvalidField.because("request", String.valueOf(malformed.getMessage()));
    }
    if (failure.getStatus().getCode() == Status.Code.RESOURCE_EXHAUSTED) {
      return TooLarge.inflated("request", maxBytes);
    }
    throw failure;
  }

  /** Used by one thread at a time, as a call's listener is. */
  private static final class Call {
    private @Nullable Consumer<Refusal> listener;

    void refuse(Refusal refusal) {
      if (listener == null) {
        throw refusal;
      }
      listener.accept(refusal);
    }
  }

  /** Hands on what it gets, so that nothing is copied. */
  private static final class Bytes implements Marshaller<InputStream> {
    @Override
    public InputStream stream(InputStream value) {
      return value;
    }

    @Override
    public InputStream parse(InputStream stream) {
      return stream;
    }
  }
}

package io.agentjournal.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.rpc.ErrorInfo;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.Overloaded;
import io.agentjournal.v1.AdminServiceGrpc;
import io.agentjournal.v1.GetServerInfoRequest;
import io.agentjournal.v1.GetServerInfoResponse;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class FailureInterceptorTest {
  private static final String SECRET = "what nobody outside may see";

  private final BlockingPool pool = new BlockingPool(1, 1);
  private Supplier<String> work = () -> "";
  private boolean onTheEventLoop;
  private Server server;
  private ManagedChannel channel;

  /** Answers with its version what the test wants it to. */
  private final class Admin extends AdminServiceGrpc.AdminServiceImplBase {
    @Override
    public void getServerInfo(
        GetServerInfoRequest request, StreamObserver<GetServerInfoResponse> observer) {
      if (onTheEventLoop) {
        observer.onNext(GetServerInfoResponse.newBuilder().setVersion(work.get()).build());
      }
      new UnaryCalls(pool)
          .answer(
              observer, () -> GetServerInfoResponse.newBuilder().setVersion(work.get()).build());
    }
  }

  @BeforeEach
  void start() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .directExecutor()
            .addService(new Admin())
            .intercept(new NamespaceInterceptor())
            .intercept(new FailureInterceptor())
            .build()
            .start();
    channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
    pool.close();
  }

  private String call() {
    return AdminServiceGrpc.newBlockingStub(channel)
        .getServerInfo(GetServerInfoRequest.getDefaultInstance())
        .getVersion();
  }

  private String callIn(String... namespaces) {
    Metadata headers = new Metadata();
    for (String namespace : namespaces) {
      headers.put(NamespaceInterceptor.HEADER, namespace);
    }
    return AdminServiceGrpc.newBlockingStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
        .getServerInfo(GetServerInfoRequest.getDefaultInstance())
        .getVersion();
  }

  private static ErrorInfo assertFailed(
      StatusRuntimeException failure, Status.Code code, String reason) throws IOException {
    assertEquals(code, failure.getStatus().getCode());
    assertTrue(String.valueOf(failure.getStatus().getDescription()).startsWith(reason));
    Metadata trailers = Objects.requireNonNull(failure.getTrailers());
    assertEquals(reason, trailers.get(RefusalStatus.REASON));
    ErrorInfo info =
        Objects.requireNonNull(StatusProto.fromThrowable(failure))
            .getDetails(0)
            .unpack(ErrorInfo.class);
    assertEquals("agentjournal", info.getDomain());
    assertEquals(reason, info.getReason());
    return info;
  }

  @Test
  void answer_of_the_work_is_the_answer_of_the_call() {
    work = () -> "1";
    assertEquals("1", call());
  }

  @Test
  void refusal_carries_code_reason_and_facts() throws IOException {
    work =
        () -> {
          throw InvalidField.because("turn_id", "missing");
        };
    StatusRuntimeException failure = assertThrows(StatusRuntimeException.class, this::call);
    ErrorInfo info = assertFailed(failure, Status.Code.INVALID_ARGUMENT, "INVALID_FIELD");
    assertEquals("turn_id", info.getMetadataOrThrow("field"));
  }

  @Test
  void refusal_thrown_on_the_event_loop_is_answered_alike() throws IOException {
    onTheEventLoop = true;
    work =
        () -> {
          throw InvalidField.because("turn_id", "missing");
        };
    StatusRuntimeException failure = assertThrows(StatusRuntimeException.class, this::call);
    assertFailed(failure, Status.Code.INVALID_ARGUMENT, "INVALID_FIELD");
  }

  @Test
  void bug_is_answered_with_a_reference_and_nothing_else() throws IOException {
    work =
        () -> {
          throw new IllegalStateException(SECRET);
        };
    StatusRuntimeException failure = assertThrows(StatusRuntimeException.class, this::call);
    ErrorInfo info = assertFailed(failure, Status.Code.INTERNAL, "INTERNAL");
    assertEquals(1, info.getMetadataCount());
    assertTrue(info.containsMetadata("reference"));
    assertFalse(String.valueOf(failure.getStatus().getDescription()).contains(SECRET));
  }

  @Test
  void namespace_of_the_call_is_its_metadata_else_the_default() {
    work = () -> NamespaceInterceptor.current().name();
    assertEquals("default", call());
    assertEquals("acme", callIn("acme"));
  }

  @Test
  void namespace_that_is_no_id_is_refused() throws IOException {
    StatusRuntimeException failure =
        assertThrows(StatusRuntimeException.class, () -> callIn("x".repeat(513)));
    ErrorInfo info = assertFailed(failure, Status.Code.INVALID_ARGUMENT, "INVALID_FIELD");
    assertEquals("agentjournal-namespace", info.getMetadataOrThrow("field"));
  }

  @Test
  void two_namespaces_are_refused_also_where_they_are_the_same() throws IOException {
    StatusRuntimeException failure =
        assertThrows(StatusRuntimeException.class, () -> callIn("acme", "acme"));
    ErrorInfo info = assertFailed(failure, Status.Code.INVALID_ARGUMENT, "INVALID_FIELD");
    assertEquals("agentjournal-namespace", info.getMetadataOrThrow("field"));
  }

  @Test
  void pool_that_is_full_refuses_and_does_nothing() {
    CompletableFuture<Void> held = new CompletableFuture<>();
    pool.execute(held::join);
    pool.execute(held::join);
    assertThrows(Overloaded.class, () -> pool.execute(() -> held.complete(null)));
    assertFalse(held.isDone());
    held.complete(null);
  }
}

package io.agentjournal.server;

import io.agentjournal.database.StartRefused;
import io.agentjournal.rpc.Draining;
import io.agentjournal.rpc.FailureInterceptor;
import io.agentjournal.rpc.MalformedRequests;
import io.agentjournal.rpc.NamespaceInterceptor;
import io.agentjournal.rpc.Traceparent;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The listening server. Handlers run on its event loops and must not block. {@link #close} drains:
 * health says so, calls that last are told, and what does not end in time is cut.
 */
final class GrpcEndpoint implements AutoCloseable {
  /** Above the limits of our own, so that theirs answer, which name the field. */
  private static final int MAX_MESSAGE_BYTES = 32 << 20;

  /**
   * Read from a connection at once. A frame that waits for its call keeps all that was read with
   * it; with Netty's 64 KiB writers that are held back kept more than all the memory that there
   * was.
   */
  private static final int MAX_READ_BYTES = 16 << 10;

  /**
   * What clients may send before it is asked for, on one connection. Without it gRPC raises its own
   * to 8 MiB.
   */
  private static final int FLOW_CONTROL_WINDOW_BYTES = 1 << 20;

  private static final long CUT_SECONDS = 5;

  private final HealthStatusManager health;
  private final Draining draining;
  private final Duration drainTimeout;
  private final Server server;
  private final String host;

  GrpcEndpoint(
      ServerSettings settings,
      List<ServerServiceDefinition> services,
      HealthStatusManager health,
      Draining draining) {
    this.health = health;
    this.draining = draining;
    this.drainTimeout = settings.drainTimeout();
    this.host = settings.host();
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(host, settings.port()))
            .directExecutor()
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .flowControlWindow(FLOW_CONTROL_WINDOW_BYTES)
            .withChildOption(
                ChannelOption.RECVBUF_ALLOCATOR,
                new AdaptiveRecvByteBufAllocator(64, 2 << 10, MAX_READ_BYTES))
            // A client may ping often, also while it has nothing to say.
            .permitKeepAliveTime(10, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            // A client that vanished without a word is noticed within these two.
            .keepAliveTime(settings.keepaliveTime().toMillis(), TimeUnit.MILLISECONDS)
            .keepAliveTimeout(settings.keepaliveTimeout().toMillis(), TimeUnit.MILLISECONDS)
            .addService(health.getHealthService())
            .addService(ProtoReflectionServiceV1.newInstance())
            .addService(reflectionForOlderTools());
    services.forEach(service -> builder.addService(MalformedRequests.parsedInside(service)));
    // The last one comes first.
    builder.intercept(new MalformedRequests(MAX_MESSAGE_BYTES));
    builder.intercept(new Traceparent());
    builder.intercept(new NamespaceInterceptor());
    builder.intercept(new FailureInterceptor());
    try {
      this.server = builder.build().start();
    } catch (IOException e) {
      Throwable reason = e.getCause() == null ? e : e.getCause();
      throw new StartRefused(
          "cannot listen on %s:%d: %s".formatted(host, settings.port(), reason.getMessage()), e);
    }
  }

  /** v1alpha: what tools ask that are older than v1, those of distributions among them. */
  @SuppressWarnings("deprecation")
  private static BindableService reflectionForOlderTools() {
    return ProtoReflectionService.newInstance();
  }

  int port() {
    return server.getPort();
  }

  /** As a client writes it. */
  String address() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port();
  }

  void awaitTermination() throws InterruptedException {
    server.awaitTermination();
  }

  @Override
  public void close() {
    health.enterTerminalState();
    draining.begin();
    server.shutdown();
    try {
      if (!server.awaitTermination(drainTimeout.toMillis(), TimeUnit.MILLISECONDS)) {
        server.shutdownNow();
        server.awaitTermination(CUT_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}

package io.agentjournal.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.database.StartRefused;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.v1.AdminServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class JournalServerTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static HealthCheckRequest healthOf(String service) {
    return HealthCheckRequest.newBuilder().setService(service).build();
  }

  @Test
  void server_and_each_of_its_services_are_healthy() {
    for (String service : List.of("", AdminServiceGrpc.SERVICE_NAME)) {
      assertEquals(
          ServingStatus.SERVING,
          HealthGrpc.newBlockingStub(JOURNAL.channel()).check(healthOf(service)).getStatus());
    }
  }

  @Test
  void reflection_lists_every_service_of_the_protocol() throws Exception {
    CompletableFuture<ServerReflectionResponse> answer = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> requests =
        ServerReflectionGrpc.newStub(JOURNAL.channel())
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse response) {
                    answer.complete(response);
                  }

                  @Override
                  public void onError(Throwable t) {
                    answer.completeExceptionally(t);
                  }

                  @Override
                  public void onCompleted() {}
                });
    requests.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    long ours =
        answer.get(10, TimeUnit.SECONDS).getListServicesResponse().getServiceList().stream()
            .filter(service -> service.getName().startsWith("agentjournal.v1."))
            .count();
    requests.onCompleted();
    assertEquals(7, ours);
  }

  @Test
  void closing_tells_watchers_of_health_before_the_connection_goes() throws Exception {
    JournalServer server = JOURNAL.anotherServer();
    ManagedChannel channel = JournalExtension.channelTo(server);
    try {
      Iterator<HealthCheckResponse> health =
          HealthGrpc.newBlockingStub(channel).watch(healthOf(""));
      assertEquals(ServingStatus.SERVING, health.next().getStatus());
      Thread closing = new Thread(server::close);
      closing.start();
      assertEquals(ServingStatus.NOT_SERVING, health.next().getStatus());
      // The watch itself would last: it is cut when the time to drain is over.
      assertThrows(StatusRuntimeException.class, health::hasNext);
      closing.join();
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void port_that_is_taken_is_named() throws Exception {
    try (ServerSocket taken =
        new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
      ServerSettings settings =
          JournalExtension.settings(JOURNAL.database(), "--port=" + taken.getLocalPort());
      StartRefused refused =
          assertThrows(StartRefused.class, () -> new JournalServer(settings).close());
      assertTrue(
          String.valueOf(refused.getMessage()).contains("127.0.0.1:" + taken.getLocalPort()));
    }
  }
}

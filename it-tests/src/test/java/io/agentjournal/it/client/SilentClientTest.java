package io.agentjournal.it.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.it.StartedTurn;
import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.ReadSegmentsRequest;
import io.agentjournal.v1.RecoveryServiceGrpc;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.TakeOverRequest;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A stock client of which nothing arrives any more, though its connection stands. */
@Timeout(60)
final class SilentClientTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static long put(ManagedChannel channel, StartedTurn turn, AttemptRef by, long index) {
    return SegmentServiceGrpc.newBlockingStub(channel)
        .putSegments(
            PutSegmentsRequest.newBuilder()
                .setOpen(StreamOpen.newBuilder().setStreamKey(turn.streamKey()).setAttempt(by))
                .setFirstIndex(index)
                .addSegments(Segment.newBuilder().setText("token"))
                .build())
        .getNextIndex();
  }

  /** B079: the server asks whether it lives, gives it up, and another goes on after its lease. */
  @Test
  void server_gives_it_up_and_another_worker_goes_on_when_the_lease_is_over() {
    try (JournalServer server =
            JOURNAL.anotherServer("--keepalive-time=10s", "--keepalive-timeout=1s");
        UnreliableNetwork network = new UnreliableNetwork(server.port())) {
      ManagedChannel channel =
          ManagedChannelBuilder.forTarget(network.target()).usePlaintext().build();
      StartedTurn turn = StartedTurn.on(channel, Duration.ofSeconds(2));
      assertEquals(1, put(channel, turn, turn.attempt(), 0));
      var follow =
          SegmentServiceGrpc.newBlockingStub(channel)
              .readSegments(
                  ReadSegmentsRequest.newBuilder()
                      .setStreamKey(turn.streamKey())
                      .setFollow(true)
                      .build());
      assertEquals(1, follow.next().getRun().getSegmentsCount());

      network.swallowRequests();
      Wait.until(
          "the server says that it gives the connection up",
          () -> channel.getState(false) == ConnectivityState.IDLE);

      AttemptRef next = turn.attempt().toBuilder().setAttemptId("next").build();
      Wait.until("the lease is over", () -> isTakenOver(next));
      assertEquals(2, put(JOURNAL.channel(), turn, next, 1));
      channel.shutdownNow();
    }
  }

  private static boolean isTakenOver(AttemptRef next) {
    try {
      var unused =
          RecoveryServiceGrpc.newBlockingStub(JOURNAL.channel())
              .takeOver(
                  TakeOverRequest.newBuilder()
                      .setSubmissionId(next.getSubmissionId())
                      .setAttemptId(next.getAttemptId())
                      .setLease(LeaseRequest.newBuilder().setOwner("worker-2"))
                      .build());
      return true;
    } catch (StatusRuntimeException e) {
      assertEquals(ErrorReason.ERROR_REASON_LEASE_HELD, Refused.of(e).reason());
      return false;
    }
  }
}

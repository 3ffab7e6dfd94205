package io.agentjournal.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AppendSegmentsRequest;
import io.agentjournal.v1.AppendSegmentsResponse;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.GetStreamRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An attempt writes through one server and is replaced through another, of the same database. */
final class TwoServersTest {
  private static final int ROUNDS = Boolean.getBoolean("journal.thorough") ? 25 : 5;

  /** Between two segments of a busy writer. */
  private static final long PAUSE_NANOS = 500_000;

  /** The promise is 100 ms; a machine that is busy with other tests gets more. */
  private static final long ALLOWED_MILLIS = 5_000;

  @TempDir static Path directory;
  private static ServerProcess server;
  private static ServerProcess another;
  private static ManagedChannel channel;
  private static ManagedChannel toAnother;

  @BeforeAll
  static void start() throws Exception {
    server = ServerProcess.start(directory);
    another = server.startBeside(Files.createDirectory(directory.resolve("another")));
    channel = server.channel();
    toAnother = another.channel();
  }

  @AfterAll
  static void end() {
    channel.shutdownNow();
    toAnother.shutdownNow();
    another.close();
    server.close();
  }

  @Test
  void fenced_append_calls_end_whether_they_are_idle_or_busy() throws Exception {
    long[] idle = new long[ROUNDS];
    long[] busy = new long[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      idle[round] = millisUntilFenced(false);
      busy[round] = millisUntilFenced(true);
    }
    Arrays.sort(idle);
    Arrays.sort(busy);
    new Summary("fence")
        .put("rounds", ROUNDS)
        .put("idle_median_ms", idle[ROUNDS / 2])
        .put("idle_slowest_ms", idle[ROUNDS - 1])
        .put("busy_median_ms", busy[ROUNDS / 2])
        .put("busy_slowest_ms", busy[ROUNDS - 1])
        .write();
    assertTrue(Math.max(idle[ROUNDS - 1], busy[ROUNDS - 1]) < ALLOWED_MILLIS);
  }

  private static long millisUntilFenced(boolean isBusy) throws Exception {
    StartedTurn turn = StartedTurn.on(channel, Duration.ofMinutes(5));
    Call call = new Call();
    var requests =
        (ClientCallStreamObserver<AppendSegmentsRequest>)
            SegmentServiceGrpc.newStub(channel).appendSegments(call);
    requests.onNext(
        AppendSegmentsRequest.newBuilder()
            .setOpen(
                StreamOpen.newBuilder().setStreamKey(turn.streamKey()).setAttempt(turn.attempt()))
            .build());
    requests.onNext(segment(0));
    Wait.until("the first segment is stored", () -> nextIndex(turn) == 1);
    Thread writer = new Thread(() -> write(requests, call));
    if (isBusy) {
      writer.start();
      Wait.until("many segments are stored", () -> nextIndex(turn) > 20);
    }

    turn.replaceAttempt(toAnother);
    long replaced = System.nanoTime();
    Refused refused = Refused.of(call.awaitFailure());
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - replaced);
    writer.join();
    refused.mustBe(
        Status.Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_STALE_ATTEMPT,
        "attempt_id",
        turn.attempt().getAttemptId());
    // What the status says is stored is all that is, and stays so.
    assertEquals(Long.parseLong(refused.fact("next_index")), nextIndex(turn));
    return millis;
  }

  private static void write(ClientCallStreamObserver<AppendSegmentsRequest> requests, Call call) {
    for (int index = 1; !call.failure.isDone(); ) {
      if (requests.isReady()) {
        requests.onNext(segment(index));
        index++;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static AppendSegmentsRequest segment(long index) {
    return AppendSegmentsRequest.newBuilder()
        .setFirstIndex(index)
        .addSegments(Segment.newBuilder().setText("token " + index))
        .build();
  }

  private static long nextIndex(StartedTurn turn) {
    return SegmentServiceGrpc.newBlockingStub(toAnother)
        .getStream(GetStreamRequest.newBuilder().setStreamKey(turn.streamKey()).build())
        .getStream()
        .getNextIndex();
  }

  /** Waits for its failure. */
  private static final class Call implements StreamObserver<AppendSegmentsResponse> {
    private final CompletableFuture<StatusRuntimeException> failure = new CompletableFuture<>();

    StatusRuntimeException awaitFailure()
        throws ExecutionException, InterruptedException, TimeoutException {
      return failure.get(30, TimeUnit.SECONDS);
    }

    @Override
    public void onNext(AppendSegmentsResponse answer) {
      failure.completeExceptionally(new AssertionError("it ended well: " + answer));
    }

    @Override
    public void onError(Throwable cause) {
      failure.complete((StatusRuntimeException) cause);
    }

    @Override
    public void onCompleted() {}
  }
}

package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.agentjournal.server.JournalServer;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AppendSessionRequest;
import io.agentjournal.v1.AppendSessionResponse;
import io.agentjournal.v1.DeleteStreamRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Writers on one server, readers on another, one database. */
final class FollowAcrossServersTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  @SuppressWarnings("NullAway.Init")
  private static JournalServer otherServer;

  @SuppressWarnings("NullAway.Init")
  private static ManagedChannel other;

  private final TestStream stream = new TestStream(JOURNAL.channel());

  @BeforeAll
  static void start() {
    otherServer = JOURNAL.anotherServer();
    other = JournalExtension.channelTo(otherServer);
  }

  @AfterAll
  static void stop() {
    other.shutdownNow();
    otherServer.close();
  }

  @Test
  void a_follower_gets_what_is_written_elsewhere_and_its_end() {
    Reading waiting = Reading.of(other, stream.follow().setWaitForStream(true));
    stream.putNumbers(0, 3);
    Reading reading = Reading.of(other, stream.follow()).awaitCaughtUp();
    for (int i = 3; i < 300; i++) {
      stream.put(i, Integer.toString(i));
    }
    stream.complete("stop");
    for (Reading follower : new Reading[] {waiting, reading}) {
      assertEquals(
          "stop", follower.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE).getFinishReason());
      assertEquals(IntStream.range(0, 300).mapToObj(Integer::toString).toList(), follower.texts());
    }
  }

  @Test
  void a_stream_whose_writer_changes_servers_is_followed_on_both() {
    TestStream elsewhere = new TestStream(other, stream.key());
    stream.put(0, "0");
    Reading here = Reading.of(JOURNAL.channel(), stream.follow()).awaitCaughtUp();
    Reading there = Reading.of(other, stream.follow()).awaitCaughtUp();
    for (int i = 1; i < 100; i++) {
      (i % 2 == 0 ? stream : elsewhere).put(i, Integer.toString(i));
    }
    elsewhere.complete("stop");
    for (Reading follower : new Reading[] {here, there}) {
      follower.awaitEnd(ReadEndReason.READ_END_REASON_COMPLETE);
      assertEquals(IntStream.range(0, 100).mapToObj(Integer::toString).toList(), follower.texts());
    }
  }

  @Test
  void a_turn_that_is_begun_anew_ends_followers_everywhere() {
    BoundStream bound = new BoundStream(JOURNAL.database());
    TestStream named = new TestStream(JOURNAL.channel(), bound.key());
    Reading here = Reading.of(JOURNAL.channel(), named.follow()).awaitCaughtUp();
    Reading there = Reading.of(other, named.follow()).awaitCaughtUp();
    bound.supersede();
    here.awaitEnd(ReadEndReason.READ_END_REASON_SUPERSEDED);
    there.awaitEnd(ReadEndReason.READ_END_REASON_SUPERSEDED);
  }

  /** Its notice bears the time at which its transaction began, and is seen all the same. */
  @Test
  void a_change_that_commits_behind_later_ones_is_noticed() {
    BoundStream slow = new BoundStream(JOURNAL.database());
    BoundStream quick = new BoundStream(JOURNAL.database());
    Reading ofSlow = Reading.of(other, new TestStream(other, slow.key()).follow()).awaitCaughtUp();
    Reading ofQuick =
        Reading.of(other, new TestStream(other, quick.key()).follow()).awaitCaughtUp();
    slow.supersede(
        () -> {
          quick.supersede();
          ofQuick.awaitEnd(ReadEndReason.READ_END_REASON_SUPERSEDED);
        });
    ofSlow.awaitEnd(ReadEndReason.READ_END_REASON_SUPERSEDED);
  }

  @Test
  void a_deletion_ends_followers_everywhere() {
    stream.putNumbers(0, 5);
    Reading there = Reading.of(other, stream.follow()).awaitCaughtUp();
    var unused =
        SegmentServiceGrpc.newBlockingStub(JOURNAL.channel())
            .deleteStream(DeleteStreamRequest.newBuilder().setStreamKey(stream.key()).build());
    there.awaitEnd(ReadEndReason.READ_END_REASON_DELETED);
  }

  @Test
  void an_idle_writer_learns_of_its_fence_from_any_server() throws Exception {
    BoundStream bound = new BoundStream(JOURNAL.database());
    CompletableFuture<Long> opened = new CompletableFuture<>();
    CompletableFuture<Long> ended = new CompletableFuture<>();
    StreamObserver<AppendSessionRequest> writer =
        SegmentServiceGrpc.newStub(other)
            .appendSession(
                new StreamObserver<>() {
                  @Override
                  public void onNext(AppendSessionResponse acknowledged) {
                    opened.complete(acknowledged.getNextIndex());
                  }

                  @Override
                  public void onError(Throwable failure) {
                    ended.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {
                    ended.complete(0L);
                  }
                });
    writer.onNext(AppendSessionRequest.newBuilder().setOpen(bound.open()).build());
    assertEquals(0, opened.get(30, TimeUnit.SECONDS));
    bound.repoint("next");
    Refused.of(failure(ended))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "current_attempt_id",
            "next");
  }

  private static StatusRuntimeException failure(CompletableFuture<Long> call) {
    ExecutionException ended =
        assertThrows(ExecutionException.class, () -> call.get(30, TimeUnit.SECONDS));
    return assertInstanceOf(StatusRuntimeException.class, ended.getCause());
  }
}

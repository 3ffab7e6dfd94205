package io.agentjournal.it.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Timestamp;
import io.agentjournal.it.ServerProcess;
import io.agentjournal.it.Summary;
import io.agentjournal.testing.Wait;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.AttemptMarker;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ClaimSubmissionRequest;
import io.agentjournal.v1.LeaseRequest;
import io.agentjournal.v1.ListAttemptMarkersRequest;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.grpc.ManagedChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers die by the hundred, and twenty others on two servers take over from them. */
@Timeout(400)
final class TakeoverRaceTest {
  private static final int EXPIRIES = Boolean.getBoolean("journal.thorough") ? 1_000 : 300;
  private static final int CLAIMERS = 20;
  private static final int MILLIS_BETWEEN_EXPIRIES = 20;
  private static final String QUEUE = "of-the-dead";

  /** Each of the twenty tries each of them. */
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  @TempDir static Path directory;

  /**
   * What was read back of a submission: its second attempt, and when its first one's lease ended.
   */
  private record Takeover(int takers, long delayMillis) {}

  @Test
  void every_expiry_is_taken_over_exactly_once_and_soon() throws Exception {
    Path besides = Files.createDirectory(directory.resolve("beside"));
    try (ServerProcess one = ServerProcess.start(directory);
        ServerProcess other = one.startBeside(besides)) {
      ManagedChannel first = one.channel();
      ManagedChannel second = other.channel();
      List<Claimer> claimers = new ArrayList<>();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < CLAIMERS; i++) {
        Claimer claimer = new Claimer("claimer-" + i, QUEUE, i % 2 == 0 ? first : second);
        claimers.add(claimer);
        threads.add(new Thread(claimer, "claimer-" + i));
      }
      threads.forEach(Thread::start);
      Map<String, Timestamp> ends = abandon(one.channel());

      Wait.until("all are taken over", PATIENCE, () -> takenBy(claimers).size() >= EXPIRIES);
      List<Takeover> takeovers = readBack(first, ends);
      first.shutdownNow();
      second.shutdownNow();
      for (Thread thread : threads) {
        thread.join();
      }
      judge(claimers, takeovers);
    }
  }

  /**
   * Claims that nobody renews: their leases end one after the other, at an even pace if the machine
   * allows.
   */
  private static Map<String, Timestamp> abandon(ManagedChannel channel) {
    SubmissionServiceGrpc.SubmissionServiceBlockingStub submissions =
        SubmissionServiceGrpc.newBlockingStub(channel);
    Map<String, Timestamp> ends = new HashMap<>();
    long startNanos = System.nanoTime();
    for (int i = 0; i < EXPIRIES; i++) {
      String id = "submission-" + i;
      submissions.admitSubmission(
          AdmitSubmissionRequest.newBuilder()
              .setSubmissionId(id)
              .setSessionKey("session-" + i)
              .setQueue(QUEUE)
              .build());
      Submission claimed =
          submissions
              .claimSubmission(
                  ClaimSubmissionRequest.newBuilder()
                      .setAttempt(AttemptRef.newBuilder().setSubmissionId(id).setAttemptId("dead"))
                      .setLease(
                          LeaseRequest.newBuilder()
                              .setOwner("dead")
                              .setDuration(Durations.ofMillis(leaseMillis(startNanos, i))))
                      .build())
              .getSubmission();
      ends.put(id, claimed.getLease().getExpiresAt());
    }
    channel.shutdownNow();
    return ends;
  }

  private static long leaseMillis(long startNanos, int index) {
    long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    return Math.max(1_000, 2_000 + (long) index * MILLIS_BETWEEN_EXPIRIES - passed);
  }

  private static List<String> takenBy(List<Claimer> claimers) {
    return claimers.stream().flatMap(claimer -> claimer.taken().stream()).toList();
  }

  private static List<Takeover> readBack(ManagedChannel channel, Map<String, Timestamp> ends) {
    SubmissionServiceGrpc.SubmissionServiceBlockingStub submissions =
        SubmissionServiceGrpc.newBlockingStub(channel);
    List<Takeover> takeovers = new ArrayList<>();
    ends.forEach(
        (id, leaseEnd) -> {
          List<AttemptMarker> markers =
              submissions
                  .listAttemptMarkers(
                      ListAttemptMarkersRequest.newBuilder().setSubmissionId(id).build())
                  .getMarkersList();
          int takers = markers.size() - 1;
          Timestamp takenAt = markers.get(markers.size() - 1).getStartedAt();
          long delay = takers == 0 ? 0 : Durations.millisBetween(leaseEnd, takenAt);
          takeovers.add(new Takeover(takers, delay));
        });
    return takeovers;
  }

  private static void judge(List<Claimer> claimers, List<Takeover> takeovers) {
    List<Long> delays = takeovers.stream().map(Takeover::delayMillis).sorted().toList();
    long takenTwice = takeovers.stream().filter(takeover -> takeover.takers() > 1).count();
    long notTaken = takeovers.stream().filter(takeover -> takeover.takers() == 0).count();
    new Summary("takeover")
        .put("expiries", EXPIRIES)
        .put("taken_once", takeovers.size() - takenTwice - notTaken)
        .put("taken_twice", takenTwice)
        .put("not_taken", notTaken)
        .put("delay_ms_p50", delays.get(delays.size() / 2))
        .put("delay_ms_max", delays.get(delays.size() - 1))
        .write();
    assertEquals(
        List.of(), claimers.stream().flatMap(claimer -> claimer.failures().stream()).toList());
    assertEquals(0, takenTwice);
    assertEquals(0, notTaken);
    assertEquals(EXPIRIES, takenBy(claimers).size());
    assertTrue(delays.get(0) >= 0, "nothing is taken over before its lease ends");
  }
}

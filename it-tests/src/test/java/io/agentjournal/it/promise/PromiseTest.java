package io.agentjournal.it.promise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.client.JournalClient;
import io.agentjournal.it.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The promise, end to end: agents on the client's worker are killed at every boundary and at any
 * time, frozen past their leases, cut off; the server is killed, with its PostgreSQL and without;
 * and afterwards everything was done once.
 */
final class PromiseTest {
  private static final boolean THOROUGH = Boolean.getBoolean("journal.thorough");
  private static final int FAULTS = Integer.getInteger("journal.faults", THOROUGH ? 540 : 30);

  @TempDir Path directory;

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void whatever_happens_each_turn_is_done_once_and_nothing_that_is_stored_is_bought_again()
      throws Exception {
    long seed = Long.getLong("journal.seed", new Random().nextLong());
    System.out.println("promise test: -Djournal.seed=" + seed);
    PromiseFindings findings = new PromiseFindings();
    Outside outside = new Outside(Files.createDirectory(directory.resolve("outside")));
    try (ServerProcess server = ServerProcess.start(directory);
        Audience audience = new Audience(server.port(), seed);
        JournalClient journal =
            JournalClient.to(server.target()).plaintext().deadline(Duration.ofSeconds(5)).build()) {
      Errands errands = new Errands(journal, audience::follow);
      Random random = new Random(seed);
      Path outsideDirectory = directory.resolve("outside");
      try (Ordeal ordeal =
          new Ordeal(server, outsideDirectory, outside, errands, random, findings)) {
        try {
          ordeal.endure(FAULTS);
        } catch (AssertionError failed) {
          System.out.println(ordeal.describe());
          throw failed;
        }
        StoredWork stored = new StoredWork(journal);
        Judgement judgement = new Judgement(stored, outside, findings);
        for (Follower follower : audience.awaitEnd(Duration.ofMinutes(1))) {
          judgement.judge(follower.submissionId(), follower.seen());
        }
        judgement.judgePlans(ordeal.said());
        judgeTranscripts(errands.all(), new Transcripts(stored, outside, findings));
      }
      findings.readerConnections = audience.connections();
    } finally {
      findings.write();
    }
    assertTrue(findings.count() >= FAULTS);
    assertEquals(0, findings.committedTwice);
    assertEquals(0, findings.notCommitted);
    assertEquals(0, findings.lostSegments);
    assertEquals(0, findings.repeatedEffects);
    assertEquals(0, findings.missingEffects);
    assertEquals(0, findings.zombieWrites);
    assertEquals(0, findings.modelCallsRepeated);
    assertTrue(findings.modelCallsSaved > 0, "faults met turns under way");
  }

  private static void judgeTranscripts(List<String> submissionIds, Transcripts transcripts) {
    for (int session = 0; session < Errands.SESSIONS; session++) {
      int number = session;
      transcripts.judge(
          Errands.session(session),
          IntStream.range(0, submissionIds.size())
              .filter(each -> each % Errands.SESSIONS == number)
              .mapToObj(submissionIds::get)
              .toList());
    }
  }
}

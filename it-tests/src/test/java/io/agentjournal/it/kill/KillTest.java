package io.agentjournal.it.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.it.ServerProcess;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** B103, B029, B082: the promise of the whole thing. */
final class KillTest {
  private static final boolean THOROUGH = Boolean.getBoolean("journal.thorough");
  private static final int KILLS = Integer.getInteger("journal.kills", THOROUGH ? 200 : 16);

  @TempDir Path directory;

  @Test
  @Timeout(value = 40, unit = TimeUnit.MINUTES)
  void no_acknowledged_segment_is_lost_doubled_or_changed_however_often_one_is_killed() {
    long seed = Long.getLong("journal.seed", new Random().nextLong());
    System.out.println("kill test: -Djournal.seed=" + seed);
    Random random = new Random(seed);
    Findings findings = new Findings();
    try (ServerProcess server = ServerProcess.start(directory)) {
      for (int number = 0; findings.kills() < KILLS; number++) {
        try (Round round = new Round(server, directory, number, random, findings)) {
          round.play(KILLS);
        }
      }
    } finally {
      findings.write();
    }
    assertEquals(0, findings.lost);
    assertEquals(0, findings.duplicated);
    assertEquals(0, findings.changed);
    assertEquals(0, findings.resentBelowNextIndex);
    assertTrue(findings.inFlight * 2 >= findings.kills(), "too few in flight");
  }
}

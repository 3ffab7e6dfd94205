package io.agentjournal.it.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.it.ServerProcess;
import io.agentjournal.it.run.ScriptedAgent.Birth;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An agent is killed wherever the journal acknowledges a write, and between every two; its heirs
 * buy no decision again that was recorded, and repeat no effect.
 */
final class RunCrashTest {
  private static final boolean THOROUGH = Boolean.getBoolean("journal.thorough");

  /** Of all places, every so-manieth. */
  private static final int STRIDE = THOROUGH ? 1 : 8;

  /** How often one run is killed at most. */
  private static final int KILLS_OF_RUN = 10;

  private static final int WORKERS = 3;
  private static final int ZOMBIES = THOROUGH ? 8 : 2;
  private static final String NOWHERE = "nowhere";

  @TempDir static Path directory;

  private final CrashFindings findings = new CrashFindings();
  private final AtomicInteger runs = new AtomicInteger();

  @Test
  @Timeout(value = 40, unit = TimeUnit.MINUTES)
  void killed_agents_heirs_buy_no_recorded_decision_again_and_repeat_no_effect() throws Exception {
    long seed = Long.getLong("journal.seed", new Random().nextLong());
    System.out.println("run crash test: -Djournal.seed=" + seed);
    try (ServerProcess server = ServerProcess.start(directory)) {
      AgentRun undisturbed = newRun(server);
      List<String> places;
      String answer;
      try (AgentProcess only = undisturbed.live(Birth.OPENS_CLAIMED, NOWHERE)) {
        answer = only.awaitAnswer();
        places = only.places();
      }
      undisturbed.count(findings);
      assertTrue(places.size() >= 100, places.toString());
      killAtEach(server, places, answer, seed);
      Random random = new Random(seed);
      for (int zombie = 0; zombie < ZOMBIES; zombie++) {
        wakeTwin(server, placeBeforeWrite(places, random), answer);
      }
    } finally {
      findings.write();
    }
    assertEquals(0, findings.decisionsRebought);
    assertEquals(0, findings.effectsRepeated);
    assertEquals(0, findings.effectsMissing);
    assertEquals(ZOMBIES, findings.zombiesRefused);
  }

  /** Side by side: a run spends most of its time in waiting for a dead one's lease to run out. */
  private void killAtEach(ServerProcess server, List<String> places, String answer, long seed)
      throws Exception {
    List<List<String>> shares = new ArrayList<>();
    for (int worker = 0; worker < WORKERS; worker++) {
      shares.add(new ArrayList<>());
    }
    for (int i = 0; i < places.size(); i += STRIDE) {
      shares.get(i / STRIDE % WORKERS).add(places.get(i));
    }
    ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
    try {
      List<Future<CrashFindings>> found = new ArrayList<>();
      for (List<String> share : shares) {
        Random random = new Random(seed + found.size());
        found.add(workers.submit(() -> killAtEach(server, share, answer, random)));
      }
      for (Future<CrashFindings> share : found) {
        findings.add(share.get());
      }
    } finally {
      workers.shutdownNow();
    }
  }

  /** In every run at several places; one that a resumed run does not pass gets a run of its own. */
  private CrashFindings killAtEach(
      ServerProcess server, List<String> places, String answer, Random random) throws Exception {
    CrashFindings found = new CrashFindings();
    Deque<String> left = new ArrayDeque<>(places);
    while (!left.isEmpty()) {
      AgentRun run = newRun(server);
      Birth birth = random.nextBoolean() ? Birth.OPENS_CLAIMED : Birth.OPENS_UNCLAIMED;
      boolean answered = false;
      for (int kills = 0; !answered; kills++) {
        String stopAt = left.isEmpty() || kills == KILLS_OF_RUN ? NOWHERE : left.getFirst();
        try (AgentProcess agent = run.live(birth, stopAt)) {
          if (agent.awaitStopOrEnd()) {
            kill(agent, random);
            left.removeFirst();
            found.crashPoints++;
          } else {
            assertEquals(answer, agent.awaitAnswer());
            answered = true;
          }
        }
        run.countLostBills();
        birth = Birth.INHERITS;
      }
      run.count(found);
    }
    return found;
  }

  /** There, or a moment later, whatever is under way then. */
  private static void kill(AgentProcess agent, Random random) throws Exception {
    if (random.nextInt(3) == 0) {
      agent.letGoOn();
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(8_000)));
    }
    agent.kill9();
  }

  /** Where the next thing to be done is a write to the journal, or begins with a look at it. */
  private static String placeBeforeWrite(List<String> places, Random random) {
    List<String> candidates =
        places.stream()
            .filter(place -> !place.endsWith("call acknowledged"))
            .filter(place -> !place.endsWith("about to be asked"))
            .toList();
    return candidates.get(random.nextInt(candidates.size() / 2));
  }

  /** The twin sleeps while another claims its run, and wakes while that one works. */
  private void wakeTwin(ServerProcess server, String stopAt, String answer) throws Exception {
    AgentRun run = newRun(server);
    try (AgentProcess twin = run.live(Birth.OPENS_CLAIMED, stopAt)) {
      assertTrue(twin.awaitStopOrEnd(), "it stops at " + stopAt);
      twin.freeze();
      run.countLostBills();
      try (AgentProcess heir = run.live(Birth.INHERITS, NOWHERE)) {
        heir.awaitClaim();
        twin.thaw();
        assertEquals("ERROR_REASON_RUN_CLAIMED", twin.awaitRefusal());
        findings.zombiesRefused++;
        assertEquals(answer, heir.awaitAnswer());
      }
    }
    run.count(findings);
  }

  private AgentRun newRun(ServerProcess server) throws Exception {
    return new AgentRun(server.target(), directory.resolve("run-" + runs.incrementAndGet()));
  }
}

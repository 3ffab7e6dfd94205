package io.agentjournal.it.promise;

import io.agentjournal.it.ServerProcess;
import io.agentjournal.testing.Wait;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Agents at work, and one fault after the other:
 *
 * <ol>
 *   <li>waits until the agents get something done, so that each fault meets work;
 *   <li>a moment later, at a random time, something is killed, frozen or cut; an agent that is to
 *       die at a boundary dies when it is there;
 *   <li>what was killed is started again, what was frozen is woken when its leases are over.
 * </ol>
 *
 * Used by one thread.
 */
final class Ordeal implements AutoCloseable {
  private static final int AGENTS = 3;
  private static final int LAST_WORDS = 8;
  private static final Duration PROGRESS = Duration.ofSeconds(60);
  private static final Duration BOUNDARY = Duration.ofSeconds(8);
  private static final long LONGEST_PEACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final Duration DELAY = Duration.ofMillis(400);

  private final ServerProcess server;
  private final Outside outside;
  private final Errands errands;
  private final Random random;
  private final PromiseFindings findings;
  private final List<AgentSlot> agents = new ArrayList<>();
  private final Deque<String> boundaries = new ArrayDeque<>();
  private final Deque<Fault> faults = new ArrayDeque<>();
  private int frozen = -1;
  private long thawAt;

  Ordeal(
      ServerProcess server,
      Path directory,
      Outside outside,
      Errands errands,
      Random random,
      PromiseFindings findings) {
    this.server = server;
    this.outside = outside;
    this.errands = errands;
    this.random = random;
    this.findings = findings;
    for (int i = 0; i < AGENTS; i++) {
      agents.add(new AgentSlot("agent-" + i, server.port(), directory, nextBoundary()));
    }
  }

  /** Returns when all work is done. */
  void endure(int number) {
    while (findings.count() < number) {
      errands.topUp();
      awaitProgress();
      LockSupport.parkNanos(random.nextLong(LONGEST_PEACE_NANOS));
      thawInTime();
      strike(nextFault());
    }
    if (frozen >= 0) {
      thaw();
    }
    agents.stream()
        .filter(agent -> !agent.stopAt().equals(AgentSlot.NOWHERE))
        .forEach(agent -> agent.killAndReplace(AgentSlot.NOWHERE));
    Wait.until("all work is done", Duration.ofMinutes(3), errands::areAllSettled);
  }

  private void awaitProgress() {
    long before = outside.progress();
    Wait.until(
        "the agents get on",
        PROGRESS,
        () -> {
          thawInTime();
          replaceStopped();
          return outside.progress() > before;
        });
  }

  /** One that stopped while nobody looked is killed there as well. */
  private void replaceStopped() {
    for (AgentSlot agent : agents) {
      if (agent.hasStopped() && agents.indexOf(agent) != frozen) {
        agent.killAndReplace(nextBoundary());
        findings.count(Fault.KILL_AGENT_AT_A_BOUNDARY);
      }
    }
  }

  private void strike(Fault fault) {
    int victim = victim();
    AgentSlot agent = agents.get(victim);
    switch (fault) {
      case KILL_AGENT_AT_A_BOUNDARY -> {
        awaitStop();
        return;
      }
      case KILL_AGENT -> agent.killAndReplace(nextBoundary());
      case FREEZE_AGENT -> {
        if (frozen >= 0) {
          awaitThaw();
        }
        freeze(victim);
      }
      case CUT -> agent.network().cut();
      case RESET -> agent.network().reset();
      case BLACKHOLE -> agent.network().blackhole();
      case LOST_ANSWERS -> agent.network().swallowAnswers();
      case DELAY -> agent.network().delay(DELAY);
      case KILL_SERVER -> {
        server.kill9();
        LockSupport.parkNanos(random.nextLong(LONGEST_PEACE_NANOS));
        server.startAgain();
      }
      case KILL_POSTGRES -> server.postgres().kill9();
      case KILL_SERVER_AND_POSTGRES -> {
        server.kill9();
        server.postgres().kill9();
        server.startAgain();
      }
    }
    findings.count(fault);
  }

  /** Counted where it is killed. */
  private void awaitStop() {
    long end = System.nanoTime() + BOUNDARY.toNanos();
    long before = findings.count();
    while (findings.count() == before && System.nanoTime() - end < 0) {
      thawInTime();
      replaceStopped();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
    if (findings.count() == before) {
      // Nobody comes there: the places of a later turn may not be met before a life ends.
      agents.get(victim()).killAndReplace(nextBoundary());
      findings.count(Fault.KILL_AGENT);
    }
  }

  /** Any but the one that is frozen. */
  private int victim() {
    int victim = random.nextInt(AGENTS);
    return victim == frozen ? (victim + 1) % AGENTS : victim;
  }

  /** Until its leases are over and a little longer. */
  private void freeze(int victim) {
    agents.get(victim).freeze();
    frozen = victim;
    thawAt =
        System.nanoTime()
            + PromiseAgent.LEASE.toNanos()
            + random.nextLong(PromiseAgent.LEASE.toNanos());
  }

  private void thawInTime() {
    if (frozen >= 0 && System.nanoTime() - thawAt >= 0) {
      thaw();
    }
  }

  private void awaitThaw() {
    Wait.until(
        "its leases are over",
        () -> {
          thawInTime();
          return frozen < 0;
        });
  }

  private void thaw() {
    agents.get(frozen).thaw();
    frozen = -1;
  }

  private String nextBoundary() {
    if (boundaries.isEmpty()) {
      List<String> all = Boundaries.all();
      Collections.shuffle(all, random);
      boundaries.addAll(all);
    }
    return boundaries.remove();
  }

  /** All kinds, the cheap ones more often. */
  private Fault nextFault() {
    if (faults.isEmpty()) {
      List<Fault> deck = new ArrayList<>();
      for (Fault fault : Fault.values()) {
        deck.addAll(Collections.nCopies(fault.share(), fault));
      }
      Collections.shuffle(deck, random);
      faults.addAll(deck);
    }
    return faults.remove();
  }

  /** The last words of each agent, for a message about a test that failed. */
  String describe() {
    StringBuilder all = new StringBuilder();
    for (AgentSlot agent : agents) {
      List<String> said = agent.said();
      all.append(agent.name()).append(" to stop at ").append(agent.stopAt()).append(": ");
      all.append(said.subList(Math.max(0, said.size() - LAST_WORDS), said.size())).append('\n');
    }
    return all.append("frozen: ").append(frozen).toString();
  }

  /** What all agents have said. */
  List<String> said() {
    return agents.stream().flatMap(agent -> agent.said().stream()).toList();
  }

  @Override
  public void close() {
    agents.forEach(AgentSlot::close);
  }
}

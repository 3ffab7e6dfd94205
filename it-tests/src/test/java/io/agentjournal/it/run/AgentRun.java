package io.agentjournal.it.run;

import io.agentjournal.client.JournalClient;
import io.agentjournal.it.run.ScriptedAgent.Birth;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.ListEventsRequest;
import io.agentjournal.v1.ListEventsResponse;
import io.agentjournal.v1.RunJournalServiceGrpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * One run, through as many lives as it takes, in a world and a namespace of its own. Used by one
 * thread.
 */
final class AgentRun {
  private final String target;
  private final Path directory;
  private final String id;
  private final World world;

  /** Bills of decisions that had been lost before the journal had them, by step. */
  private final Map<Integer, Integer> lostBills = new TreeMap<>();

  private int lives;

  AgentRun(String target, Path directory) throws IOException {
    this.target = target;
    this.directory = Files.createDirectories(directory);
    this.id = directory.getFileName().toString();
    this.world = new World(directory);
  }

  /**
   * @param stopAt a place, or anything else: it does not stop
   */
  AgentProcess live(Birth birth, String stopAt) {
    return new AgentProcess(
        List.of(target, id, id, birth.name(), directory.toString(), stopAt),
        directory,
        "life-" + lives++);
  }

  /** To be called when a life has ended: what it bought and did not record is not to be had. */
  void countLostBills() {
    Set<Integer> recorded = recordedDecisions();
    world
        .bills()
        .forEach(
            (step, count) -> {
              if (!recorded.contains(step)) {
                lostBills.put(step, count);
              }
            });
  }

  private Set<Integer> recordedDecisions() {
    Set<Integer> steps = new HashSet<>();
    try (JournalClient client = JournalClient.to(target).plaintext().namespace(id).build()) {
      Iterator<ListEventsResponse> messages =
          RunJournalServiceGrpc.newBlockingStub(client.channel())
              .listEvents(
                  ListEventsRequest.newBuilder()
                      .setRunId(id)
                      .addKinds(EventKind.EVENT_KIND_MODEL_DECISION)
                      .build());
      messages.forEachRemaining(
          message ->
              message.getEventsList().forEach(event -> steps.add((int) (event.getSeq() / 1_000))));
    }
    return steps;
  }

  /** After the answer. */
  void count(CrashFindings findings) {
    Map<Integer, Integer> bills = world.bills();
    for (int step = 0; step < ScriptedAgent.STEPS; step++) {
      int lost = lostBills.getOrDefault(step, 0);
      findings.decisionsLostUnrecorded += lost;
      findings.decisionsRebought += Math.max(0, bills.getOrDefault(step, 0) - lost - 1);
    }
    Map<String, Integer> effects = world.effects();
    for (int step = 0; step < ScriptedAgent.STEPS; step++) {
      if (step % 2 == 0 || step % 4 == 3) {
        countEffect(findings, effects.getOrDefault("charge-" + step, 0));
      }
      if (step % 2 == 1) {
        countEffect(findings, effects.getOrDefault("print-" + step, 0));
      }
    }
  }

  private static void countEffect(CrashFindings findings, int count) {
    findings.effectsMissing += count == 0 ? 1 : 0;
    findings.effectsRepeated += Math.max(0, count - 1);
  }
}

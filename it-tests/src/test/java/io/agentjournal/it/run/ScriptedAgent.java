package io.agentjournal.it.run;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.JournalException;
import io.agentjournal.client.RunMemo;
import io.agentjournal.client.RunTool;
import io.agentjournal.client.ToolOutcome;
import io.agentjournal.v1.EventKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An agent of 20 steps as a process of its own. Each step buys a decision from a model, calls one
 * or two tools as it says, and counts itself. It is driven from the beginning in every life; its
 * answer depends on all decisions and results.
 *
 * <p>Standard output: the places that it passes, then {@code answer <text>} or {@code refused
 * <reason>}.
 */
final class ScriptedAgent {
  static final int STEPS = 20;
  static final String ANSWER = "answer ";
  static final String REFUSED = "refused ";
  static final String CLAIMED = "claimed";

  /** The shortest that there is: how long a run waits for its heir. */
  private static final Duration LEASE = Duration.ofSeconds(1);

  private static final long PLACES_OF_STEP = 1_000;
  private static final long PLACES_OF_TOOL = 100;
  private static final long LAST_PLACE = 999;
  private static final int REFUSED_CODE = 3;

  private final RunMemo run;
  private final World world;
  private final CrashPoint crash;

  ScriptedAgent(RunMemo run, World world, CrashPoint crash) {
    this.run = run;
    this.world = world;
    this.crash = crash;
  }

  /** How a life begins. */
  enum Birth {
    OPENS_UNCLAIMED,
    OPENS_CLAIMED,
    INHERITS
  }

  /** Arguments: target, namespace, run id, birth, world's directory, where to stop, go-on file. */
  public static void main(String[] arguments) throws Exception {
    World world = new World(Path.of(arguments[4]));
    CrashPoint crash = new CrashPoint(arguments[5], Path.of(arguments[6]));
    try (JournalClient client =
        JournalClient.to(arguments[0]).plaintext().namespace(arguments[1]).build()) {
      RunMemo run = born(client, arguments[2], Birth.valueOf(arguments[3]));
      CrashPoint.tell(CLAIMED);
      crash.reach("opened");
      String answer = new ScriptedAgent(run, world, crash).work();
      run.finish("succeeded");
      CrashPoint.tell(ANSWER + answer);
    } catch (JournalException e) {
      CrashPoint.tell(REFUSED + e.reason());
      System.exit(REFUSED_CODE);
    }
  }

  private static RunMemo born(JournalClient client, String runId, Birth birth) {
    return switch (birth) {
      case OPENS_UNCLAIMED -> client.run(runId).agent("scripted").open();
      case OPENS_CLAIMED -> client.run(runId).agent("scripted").claim("first", LEASE).open();
      case INHERITS -> inherited(client);
    };
  }

  private static RunMemo inherited(JournalClient client) {
    while (true) {
      Optional<RunMemo> run = client.interruptedRun("heir", LEASE);
      if (run.isPresent()) {
        return run.get();
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private String work() throws Exception {
    String history = "";
    for (int step = 0; step < STEPS; step++) {
      long place = step * PLACES_OF_STEP;
      String decision = decide(step, place, history);
      List<String> results = step % 4 == 3 ? actTwice(step, place) : List.of(act(step, place));
      run.iteration(place + LAST_PLACE, step);
      crash.reach(step + " iteration acknowledged");
      history = Integer.toHexString((history + decision + results).hashCode());
    }
    return history;
  }

  private String decide(int step, long place, String history) {
    String decision =
        run.decision(
            place,
            key -> {
              crash.reach(step + " model about to be asked");
              world.buyDecision(step);
              crash.reach(step + " model has answered");
              return "{\"text\":\"step %d after %s\"}".formatted(step, history);
            });
    crash.reach(step + " decision acknowledged");
    return decision;
  }

  /** By turns a tool that keeps idempotency keys, and one that does as often as it is told. */
  private String act(int step, long place) {
    return use(step, place + PLACES_OF_TOOL, step % 2 == 0 ? "charge" : "print", step % 2 == 0);
  }

  /** Both, side by side. */
  private List<String> actTwice(int step, long place) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Future<String>> results = new ArrayList<>();
      results.add(threads.submit(() -> use(step, place + PLACES_OF_TOOL, "charge", true)));
      results.add(threads.submit(() -> use(step, place + 2 * PLACES_OF_TOOL, "print", false)));
      List<String> both = new ArrayList<>();
      for (Future<String> result : results) {
        both.add(await(result));
      }
      return both;
    } finally {
      threads.shutdown();
    }
  }

  /** A refusal is one, on whichever thread it came. */
  private static String await(Future<String> result) throws Exception {
    try {
      return result.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof JournalException refused) {
        throw refused;
      }
      throw e;
    }
  }

  /** When nobody knows whether the tool was called, it looks, and records what it sees. */
  private String use(int step, long firstPlace, String name, boolean keepsKeys) {
    String effect = name + "-" + step;
    RunTool tool = RunTool.of(name, "{\"step\":%d}".formatted(step));
    for (long place = firstPlace; ; place += 2) {
      ToolOutcome outcome =
          run.tool(
              place,
              keepsKeys ? tool.restartSafe() : tool,
              key -> {
                crash.reach(step + " " + name + " call acknowledged");
                if (keepsKeys) {
                  world.takeEffectOnce(effect, key);
                } else {
                  world.takeEffect(effect);
                }
                crash.reach(step + " " + name + " has done it");
                return "{\"done\":true}";
              });
      crash.reach(step + " " + name + " result acknowledged");
      if (outcome instanceof ToolOutcome.Result || isThere(step, place + 1, effect)) {
        return name + " done";
      }
    }
  }

  private boolean isThere(int step, long place, String effect) {
    String seen =
        run.once(
            place,
            EventKind.EVENT_KIND_VERIFICATION,
            key -> "{\"there\":%b}".formatted(world.hasEffect(effect)));
    crash.reach(step + " verification acknowledged");
    return seen.equals("{\"there\":true}");
  }
}

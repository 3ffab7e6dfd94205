package io.agentjournal.it.promise;

import io.agentjournal.client.ClaimedSubmission;
import io.agentjournal.client.JournalClient;
import io.agentjournal.client.JournalException;
import io.agentjournal.client.JournalWorker;
import io.agentjournal.client.WorkOutcome;
import io.agentjournal.client.WorkerListener;
import io.agentjournal.it.agent.TurnAgent;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The example agent as a process of its own, with a model and tools that are watched. Standard
 * output: what it claims and with which plan, what it lost, what failed. Arguments: target, owner,
 * directory of {@link Outside}, where to stop.
 */
final class PromiseAgent {
  static final String CLAIMED = "claimed ";
  static final String LOST = "lost ";
  static final String FAILED = "failed ";
  static final Duration LEASE = Duration.ofSeconds(2);
  static final int CONCURRENCY = 2;

  private PromiseAgent() {}

  public static void main(String[] arguments) throws InterruptedException {
    Outside outside = new Outside(Path.of(arguments[2]));
    Boundaries boundaries = new Boundaries(arguments[3], outside);
    try (JournalClient journal =
            JournalClient.to(arguments[0])
                .plaintext()
                .keepAlive(Duration.ofSeconds(10), Duration.ofSeconds(1))
                .deadline(Duration.ofSeconds(5))
                .retry(Duration.ofMillis(200), Duration.ofMinutes(5))
                .intercept(boundaries)
                .build();
        JournalWorker worker =
            journal
                .worker(
                    arguments[1],
                    new TurnAgent(
                        journal,
                        new ScriptedModel(outside, boundaries),
                        new FileTools(outside, boundaries)))
                .lease(LEASE)
                .concurrency(CONCURRENCY)
                .listener(new Telling())
                .start()) {
      worker.awaitEnd();
    }
  }

  private static final class Telling implements WorkerListener {
    @Override
    public void claimed(ClaimedSubmission claimed) {
      tell(
          CLAIMED
              + claimed.plan().getAction().name().substring("RECOVERY_ACTION_".length())
              + " "
              + claimed.plan().getStream().getNextIndex());
    }

    @Override
    public void lost(ClaimedSubmission claimed, JournalException why) {
      tell(LOST + why.reason());
    }

    @Override
    public void unavailable(JournalException why) {
      tell("unavailable " + why.getMessage());
    }

    @Override
    public void failed(ClaimedSubmission claimed, Throwable thrown, WorkOutcome next) {
      tell(FAILED + claimed.attempt().getSubmissionId() + " " + thrown);
      thrown.printStackTrace();
    }

    private static synchronized void tell(String line) {
      System.out.println(line);
      System.out.flush();
    }
  }
}

package io.agentjournal.it.agent;

import io.agentjournal.client.JournalClient;
import io.agentjournal.client.JournalWorker;
import io.agentjournal.v1.Segment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Starts an agent as a process: claims submissions of the queue "default", four at a time, until it
 * is told to end (SIGTERM); then it hands over what it has not finished. Its model says the last
 * message back, word by word. Arguments: target, owner.
 */
public final class ExampleAgent {
  private static final int WORDS_PER_SECOND = 20;

  private ExampleAgent() {}

  public static void main(String[] arguments) throws InterruptedException {
    try (JournalClient journal = JournalClient.to(arguments[0]).plaintext().build();
        JournalWorker worker =
            journal
                .worker(arguments[1], new TurnAgent(journal, ExampleAgent::echo, call -> "none"))
                .concurrency(4)
                .lease(Duration.ofSeconds(10))
                .drain(Duration.ofSeconds(5))
                .start()) {
      Runtime.getRuntime().addShutdownHook(new Thread(worker::close));
      System.out.println("agent " + arguments[1] + " works");
      worker.awaitEnd();
    }
  }

  private static java.util.Iterator<Segment> echo(Prompt prompt) {
    int messages = prompt.conversation().size();
    String asked = prompt.conversation().get(messages - 1).getPayload().getText();
    List<Segment> words = new ArrayList<>();
    for (String word : asked.split("(?<= )", -1)) {
      words.add(Response.text(word));
    }
    return words.stream().skip(prompt.said().size()).peek(word -> pause()).iterator();
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(1000 / WORDS_PER_SECOND);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

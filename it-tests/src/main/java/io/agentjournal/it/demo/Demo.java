package io.agentjournal.it.demo;

import io.agentjournal.client.JournalClient;
import io.agentjournal.it.JavaProcess;
import io.agentjournal.it.ServerProcess;
import io.agentjournal.it.TemporaryDirectory;
import io.agentjournal.v1.AdmitSubmissionRequest;
import io.agentjournal.v1.GetSubmissionRequest;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.ReadEnd;
import io.agentjournal.v1.ReadEndReason;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionServiceGrpc;
import io.agentjournal.v1.SubmissionServiceGrpc.SubmissionServiceBlockingStub;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * The story: an agent and the server are killed in the middle of a response; another agent goes on
 * from the exact token, a follower sees one text, and the dead agent's return is refused. Exits
 * with 1 unless all of that was seen.
 */
public final class Demo {
  private static final int TOKENS_BEFORE_THE_KILL = 50;
  private static final int TOKENS_BEFORE_THE_ZOMBIE = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Timeline timeline = new Timeline(System.out, isTerminal());
  private final Path directory;
  private final List<String> zombieSaid = new CopyOnWriteArrayList<>();

  private Demo(Path directory) {
    this.directory = directory;
  }

  public static void main(String[] arguments) throws InterruptedException {
    try (TemporaryDirectory directory = new TemporaryDirectory("agent-journal-demo-")) {
      new Demo(directory.path()).tell();
    }
  }

  private void tell() throws InterruptedException {
    timeline.heading("A server, an agent that streams a model's response, and a user who follows");
    try (ServerProcess server = ServerProcess.start(directory);
        JournalClient client = JournalClient.to(server.target()).plaintext().build()) {
      timeline.event("server", "listens on " + server.target() + ", process " + server.pid());
      SubmissionServiceBlockingStub submissions =
          SubmissionServiceGrpc.newBlockingStub(client.channel());
      admit(submissions);
      Follower follower = new Follower(timeline, client);

      long shownBeforeTheKill;
      try (JavaProcess agent = agent(server, "agent 1", Script.FIRST_ATTEMPT, "work")) {
        awaitTokens(follower, TOKENS_BEFORE_THE_KILL);
        timeline.heading("In the middle of the response, both are killed");
        agent.kill9();
        timeline.blow("agent 1", "SIGKILL");
        server.kill9();
        timeline.blow("server", "SIGKILL");
        shownBeforeTheKill = follower.seen();
        timeline.event("follower", "has shown " + shownBeforeTheKill + " tokens, and waits");
      }

      timeline.heading("The server starts again; another agent takes the turn over");
      server.startAgain();
      timeline.event("server", "listens again, process " + server.pid());
      try (JavaProcess agent = agent(server, "agent 2", Script.SECOND_ATTEMPT, "work")) {
        awaitTokens(follower, Math.toIntExact(shownBeforeTheKill) + TOKENS_BEFORE_THE_ZOMBIE);
        timeline.heading("The dead agent comes back and writes as if nothing had happened");
        try (JavaProcess zombie = agent(server, "zombie", Script.FIRST_ATTEMPT, "zombie")) {
          require(zombie.awaitExit(PATIENCE) == 0, "the zombie ended with an error");
        }
        require(agent.awaitExit(PATIENCE) == 0, "agent 2 failed" + agent.told());
      }
      conclude(follower, submissions);
    }
  }

  private void admit(SubmissionServiceBlockingStub submissions) {
    var unused =
        submissions.admitSubmission(
            AdmitSubmissionRequest.newBuilder()
                .setSubmissionId(Script.SUBMISSION)
                .setSessionKey(Script.SESSION)
                .setInput(Payload.newBuilder().setText("What is a journal for?"))
                .build());
    timeline.event("user", "asks: What is a journal for?");
  }

  private JavaProcess agent(ServerProcess server, String name, String attempt, String mode) {
    JavaProcess agent =
        JavaProcess.startMain(
            DemoAgent.class,
            List.of(server.target(), attempt, mode),
            directory.resolve("agents.log"),
            line -> said(name, line));
    timeline.event(name, "starts, process " + agent.pid());
    return agent;
  }

  private void said(String name, String line) {
    if (name.equals("zombie")) {
      zombieSaid.add(line);
      timeline.blow(name, line);
    } else {
      timeline.event(name, line);
    }
  }

  private static void awaitTokens(Follower follower, int tokens) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (follower.seen() < tokens) {
      require(System.nanoTime() < deadline, "token " + tokens + " did not come");
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  private void conclude(Follower follower, SubmissionServiceBlockingStub submissions)
      throws InterruptedException {
    ReadEnd end = follower.awaitEnd(PATIENCE);
    timeline.heading("What was seen");
    require(
        end.getReason() == ReadEndReason.READ_END_REASON_COMPLETE,
        "the stream is " + end.getReason());
    require(follower.text().equals(Script.response()), "the follower's text is another");
    timeline.event(
        "follower",
        "%d tokens, each once and in order; the text is the model's to the letter"
            .formatted(follower.seen()));
    require(
        zombieSaid.stream().anyMatch(line -> line.contains("STALE_ATTEMPT")),
        "the zombie was not refused: " + zombieSaid);
    timeline.event("zombie", "wrote nothing");
    Submission submission =
        submissions
            .getSubmission(
                GetSubmissionRequest.newBuilder().setSubmissionId(Script.SUBMISSION).build())
            .getSubmission();
    require(
        submission.getSettlement().getResult().getPayload().getText().equals(Script.response()),
        "the result is another");
    timeline.event(
        "server",
        "submission %s after %d attempts; the model was asked once"
            .formatted(submission.getSettlement().getOutcome(), submission.getAttemptCount()));
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalStateException(otherwise);
    }
  }

  /** From JDK 22 on there is always a console; colours in a file would be the harm done. */
  @SuppressWarnings("SystemConsoleNull")
  private static boolean isTerminal() {
    return System.console() != null;
  }
}

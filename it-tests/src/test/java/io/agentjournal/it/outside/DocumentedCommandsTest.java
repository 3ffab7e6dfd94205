package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.it.ServerProcess;
import io.agentjournal.it.outside.Program.Ran;
import io.agentjournal.testing.Wait;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the documentation tells people to type does and prints what it says. */
final class DocumentedCommandsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String DOCUMENTED_TARGET = "127.0.0.1:7400";

  /** How long nothing may have moved for a submission to be stuck: nobody waits for that here. */
  private static final String DOCUMENTED_STILLNESS = "\"still_for\": \"300s\"";

  private static final String STILLNESS = "\"still_for\": \"0.001s\"";

  private static final Duration AT_MOST = Duration.ofMinutes(2);

  @TempDir static Path directory;
  private static @Nullable ServerProcess server;

  @BeforeAll
  static void start() {
    Program.require("grpcurl", GrpcurlTest.HOW_TO_GET_IT);
    server = ServerProcess.start(directory);
  }

  @AfterAll
  static void end() {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void commands_of_the_readme() {
    List<String> outputs = runInOrder("README.md");
    String list = outputs.get(0);
    assertTrue(list.contains("agentjournal.v1.SegmentService"), list);
    String put = outputs.get(1);
    assertTrue(put.contains("\"appended\": \"2\""), put);
    String read = outputs.get(2);
    assertTrue(read.contains("READ_END_REASON_STILL_OPEN"), read);
    String followed = outputs.get(3);
    assertTrue(followed.contains("\"text\": \"ld\""), followed);
    assertTrue(followed.contains("READ_END_REASON_COMPLETE"), followed);
    String appended = outputs.get(4);
    assertTrue(appended.contains("STREAM_STATE_COMPLETE"), appended);
  }

  @Test
  void commands_for_debugging_print_what_the_page_says() {
    submissionThatHangs();
    for (DocumentedCommand command : DocumentedCommand.of(ROOT.resolve("docs/debugging.md"))) {
      assertTrue(command.expected().isPresent(), command + " has its output beside it");
    }
    runInOrder("docs/debugging.md");
  }

  /** The one that the page asks about, and what else is there. */
  private static void submissionThatHangs() {
    post(
        "SubmissionService/AdmitSubmission",
        "{'submission_id': 's1', 'session_key': 'chat-7', 'input': {'text': 'Tell me a story.'}}");
    post(
        "SubmissionService/AdmitSubmission",
        "{'submission_id': 's2', 'session_key': 'chat-7', 'input': {'text': 'Another one.'}}");
    post(
        "SubmissionService/ClaimSubmission",
        "{'attempt': {'submission_id': 's1', 'attempt_id': 'a1'}, 'lease': {'owner': 'worker-1',"
            + " 'duration': '600s'}}");
    post(
        "TurnJournalService/BeginTurnJournal",
        "{'attempt': {'submission_id': 's1', 'attempt_id': 'a1'}, 'turn_id': 't1', 'start': {}}");
    post(
        "SegmentService/PutSegments",
        "{'open': {'stream_key': 's1:t1:a1', 'attempt': {'submission_id': 's1', 'attempt_id':"
            + " 'a1'}}, 'first_index': 0, 'segments': [{'text': 'Once'}, {'text': ' upon'}]}");
    post(
        "SegmentService/PutSegments",
        "{'open': {'stream_key': 'notes'}, 'first_index': 0, 'segments': [{'text': 'Buy milk'}]}");
  }

  private static void post(String method, String request) {
    run("grpcurl -plaintext -d '%s' %s agentjournal.v1.%s"
            .formatted(request.replace('\'', '"'), DOCUMENTED_TARGET, method))
        .expectSuccess();
  }

  /** The output of each. One that lasts runs beside those that come after it. */
  private static List<String> runInOrder(String page) {
    boolean hasJq = Program.find("jq").isPresent();
    List<DocumentedCommand> commands = new ArrayList<>();
    List<CompletableFuture<Ran>> ran = new ArrayList<>();
    for (DocumentedCommand command : DocumentedCommand.of(ROOT.resolve(page))) {
      if (command.needs("jq") && !hasJq) {
        System.out.println("SKIPPED: jq is not on the search path: " + command.command());
        continue;
      }
      commands.add(command);
      ran.add(command.lasts() ? follow(command) : finished(command));
    }
    List<String> outputs = new ArrayList<>();
    for (int n = 0; n < commands.size(); n++) {
      String output = ran.get(n).join().expectSuccess();
      commands.get(n).assertPrinted(output);
      outputs.add(output);
    }
    return outputs;
  }

  private static CompletableFuture<Ran> finished(DocumentedCommand command) {
    Ran ran = run(command.command());
    assertEquals(0, ran.exitCode(), command + ran.errors());
    return CompletableFuture.completedFuture(ran);
  }

  /** Returns when all that is stored was shown. */
  private static CompletableFuture<Ran> follow(DocumentedCommand command) {
    Path seen = directory.resolve("followed-" + System.nanoTime());
    CompletableFuture<Ran> running =
        CompletableFuture.supplyAsync(
            () -> run("{ %s } | tee %s".formatted(command.command(), seen)));
    Wait.until("it has caught up", () -> contains(seen, "caught_up") || running.isDone());
    return running;
  }

  private static boolean contains(Path file, String text) {
    try {
      return Files.exists(file) && Files.readString(file).contains(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Ran run(String command) {
    String target = Objects.requireNonNull(server).target();
    Program shell = Program.require("bash", "install bash");
    String here =
        command.replace(DOCUMENTED_TARGET, target).replace(DOCUMENTED_STILLNESS, STILLNESS);
    return shell.run(directory, AT_MOST, List.of("-euo", "pipefail", "-c", here));
  }
}

package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.it.ServerProcess;
import io.agentjournal.it.outside.Program.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the documentation tells people to type does what it says. */
final class DocumentedCommandsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern COMMANDS = Pattern.compile("(?ms)^```sh\n(.*?)^```$");
  private static final String DOCUMENTED_TARGET = "127.0.0.1:7400";
  private static final String LASTS = "\"follow\": true";
  private static final Duration AT_MOST = Duration.ofMinutes(1);

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
  void commands_of_the_readme() throws IOException {
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
  void commands_for_debugging() throws IOException {
    runningSubmission();
    for (String output : runInOrder("docs/debugging.md")) {
      assertFalse(output.isBlank());
    }
  }

  /** The one that the page asks about. */
  private static void runningSubmission() {
    post("SubmissionService/AdmitSubmission", "{'submission_id': 's1', 'session_key': 'chat-7'}");
    post("SubmissionService/AdmitSubmission", "{'submission_id': 's2', 'session_key': 'chat-7'}");
    post(
        "SubmissionService/ClaimSubmission",
        "{'attempt': {'submission_id': 's1', 'attempt_id': 'a1'}, 'lease': {'owner': 'worker-1'}}");
    post(
        "TurnJournalService/BeginTurnJournal",
        "{'attempt': {'submission_id': 's1', 'attempt_id': 'a1'}, 'turn_id': 't1', 'start': {}}");
    post(
        "SegmentService/PutSegments",
        "{'open': {'stream_key': 's1:t1:a1', 'attempt': {'submission_id': 's1', 'attempt_id':"
            + " 'a1'}}, 'first_index': 0, 'segments': [{'text': 'Once'}, {'text': ' upon'}]}");
  }

  private static void post(String method, String request) {
    run("grpcurl -plaintext -d '%s' %s agentjournal.v1.%s"
            .formatted(request.replace('\'', '"'), DOCUMENTED_TARGET, method))
        .expectSuccess();
  }

  /** The output of each. One that lasts runs beside those that come after it. */
  private static List<String> runInOrder(String page) throws IOException {
    List<CompletableFuture<Ran>> ran = new ArrayList<>();
    for (String command : commands(page)) {
      CompletableFuture<Ran> running = CompletableFuture.supplyAsync(() -> run(command));
      if (!command.contains(LASTS)) {
        assertEquals(0, running.join().exitCode(), command + running.join().errors());
      }
      ran.add(running);
    }
    return ran.stream().map(CompletableFuture::join).map(Ran::expectSuccess).toList();
  }

  private static List<String> commands(String page) throws IOException {
    List<String> commands = new ArrayList<>();
    Matcher blocks = COMMANDS.matcher(Files.readString(ROOT.resolve(page)));
    boolean hasJq = Program.find("jq").isPresent();
    while (blocks.find()) {
      String command = blocks.group(1);
      if (hasJq || !command.contains("jq ")) {
        commands.add(command);
      } else {
        System.out.println("SKIPPED: jq is not on the search path: " + command);
      }
    }
    assertFalse(commands.isEmpty(), page + " has commands");
    return commands;
  }

  private static Ran run(String command) {
    String target = Objects.requireNonNull(server).target();
    Program shell = Program.require("bash", "install bash");
    return shell.run(
        directory,
        AT_MOST,
        List.of("-euo", "pipefail", "-c", command.replace(DOCUMENTED_TARGET, target)));
  }
}

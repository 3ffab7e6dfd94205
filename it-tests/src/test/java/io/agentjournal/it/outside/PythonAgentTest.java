package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.agentjournal.it.ServerProcess;
import io.agentjournal.v1.AttemptEnd;
import io.agentjournal.v1.AttemptMarker;
import io.agentjournal.v1.Outcome;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the whole agent, clients/python/agent.py, does beside what {@link ClientsTest} asks of each.
 */
final class PythonAgentTest {
  private static final int ENOUGH = 20;

  @TempDir static Path directory;
  private static @Nullable ServerProcess server;
  private static @Nullable ManagedChannel channel;

  @BeforeAll
  static void start() {
    programs();
    server = ServerProcess.start(directory);
    channel = server.channel();
  }

  @AfterAll
  static void end() {
    if (channel != null) {
      channel.shutdownNow();
    }
    if (server != null) {
      server.close();
    }
  }

  /** One PutSegments for each token. */
  private static ClientPrograms programs() {
    return PythonPrograms.of("follow.py", "agent.py");
  }

  private static AdmittedSubmission admit(String name) {
    return AdmittedSubmission.admit(Objects.requireNonNull(channel), name);
  }

  private static String target() {
    return Objects.requireNonNull(server).target();
  }

  private static TellingProcess start(AdmittedSubmission work, String owner, String... options) {
    return programs().startAgent(target(), work.id(), owner, Recording.choose(), options);
  }

  @Test
  void agent_that_puts_each_token_and_wakes_up_after_its_lease_is_told_that_it_is_stale() {
    new TakeOverScenario(programs(), target(), admit("zombie")).frozenInTheMiddle();
  }

  @Test
  @EnabledIfSystemProperty(named = "journal.thorough", matches = "true")
  void agent_that_puts_each_token_and_is_killed_is_continued_at_the_exact_token() {
    TakeOverScenario scenario = new TakeOverScenario(programs(), target(), admit("killed"));
    assertEquals(0, scenario.killedInTheMiddle().rebought());
  }

  @Test
  void agent_that_is_killed_in_the_middle_of_a_tool_has_it_recorded_as_unknown_once() {
    AdmittedSubmission work = admit("tool");
    try (TellingProcess first = start(work, "first", "--tool", "--tool-seconds", "60")) {
      first.await("the tool was started", Step.named("tool_started"));
      first.kill9();
    }
    try (TellingProcess second = start(work, "second", "--tool")) {
      Step claimed = second.await("it has the work", Step.named("claimed"));
      assertEquals("RECOVERY_ACTION_FINISH_TOOLS", claimed.text("action"));
      assertEquals(0, second.awaitExit(), second::toString);
      assertEquals(
          List.of("TOOL_RESULT_KIND_INTERRUPTED"),
          second.steps(Step.named("tool_result")).stream().map(step -> step.text("kind")).toList());
      assertFalse(second.has(Step.named("tool_started")), "the tool was not run again");
    }
    assertEquals(
        Outcome.OUTCOME_COMPLETED, work.stored().getSubmission().getSettlement().getOutcome());
    assertEquals(2, work.stored().getJournal().getRevision(), "the answer is of a second turn");
  }

  @Test
  void agent_that_restarts_under_its_old_name_need_not_wait_for_its_own_lease() {
    AdmittedSubmission work = admit("restart");
    String owner = "owner-of-" + work.id();
    try (TellingProcess first = start(work, owner, "--lease", "600")) {
      first.await("some tokens are durable", Step.durableFrom(ENOUGH));
      first.kill9();
    }
    try (TellingProcess again = start(work, owner)) {
      Step claimed = again.await("it has the work", Step.named("claimed"));
      assertEquals("RECOVERY_ACTION_CONTINUE_STREAM", claimed.text("action"));
      assertEquals(0, again.awaitExit(), again::toString);
    }
    work.assertAnsweredBy(Recording.choose());
    assertEquals(1, work.stored().getSubmission().getAttemptCount(), "that cost no attempt");
    assertEquals(
        List.of(AttemptEnd.ATTEMPT_END_HANDED_OVER, AttemptEnd.ATTEMPT_END_SETTLED),
        work.markers().stream().map(AttemptMarker::getEnd).toList());
  }
}

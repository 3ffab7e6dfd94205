package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.it.ServerProcess;
import io.agentjournal.it.outside.TakeOverScenario.TakeOver;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The promise as agents in other languages see it, which have nothing of ours: programs of
 * clients/, each language with its stock tooling, and grpcurl. The same is asked of each.
 */
final class ClientsTest {
  private static final String GRPCURL = "grpcurl";

  @RegisterExtension
  static final ClientResults RESULTS =
      new ClientResults(
          Stream.concat(
                  Stream.of(ClientLanguage.values()).map(ClientsTest::key), Stream.of(GRPCURL))
              .toList());

  @TempDir static Path directory;
  private static @Nullable ServerProcess server;
  private static @Nullable ManagedChannel channel;

  @BeforeAll
  static void start() {
    RESULTS.write();
    server = ServerProcess.start(directory);
    channel = server.channel();
  }

  @AfterAll
  static void end() {
    System.out.println(RESULTS);
    if (channel != null) {
      channel.shutdownNow();
    }
    if (server != null) {
      server.close();
    }
  }

  private static String key(ClientLanguage language) {
    return language.name().toLowerCase(Locale.ROOT);
  }

  private static String target() {
    return Objects.requireNonNull(server).target();
  }

  private static AdmittedSubmission admit(ClientLanguage language) {
    return admit("in-" + key(language));
  }

  private static AdmittedSubmission admit(String name) {
    return AdmittedSubmission.admit(Objects.requireNonNull(channel), name);
  }

  @ParameterizedTest
  @EnumSource
  void agent_that_is_killed_in_the_middle_of_a_response_is_continued_at_the_exact_token(
      ClientLanguage language) {
    RESULTS.isTestOf(key(language));
    TakeOverScenario scenario = new TakeOverScenario(language.prepare(), target(), admit(language));
    TakeOver taken = scenario.killedInTheMiddle();
    RESULTS.takenOver(taken.resumedAt(), taken.rebought());
    assertEquals(0, taken.rebought(), "tokens that were stored were asked of the model again");
  }

  @ParameterizedTest
  @EnumSource
  void agent_that_wakes_up_after_its_lease_reads_in_the_error_that_it_is_stale(
      ClientLanguage language) {
    RESULTS.isTestOf(key(language));
    new TakeOverScenario(language.prepare(), target(), admit(language)).frozenInTheMiddle();
  }

  @Test
  void node_loses_no_digit_of_64_bits() {
    RESULTS.isTestOf(key(ClientLanguage.NODE));
    String epoch = "9007199254740993"; // 2^53 + 1, which no JavaScript number is
    List<String> options = List.of("--target", target(), "--stream", "epoch", "--epoch", epoch);
    try (TellingProcess told =
        NodePrograms.prepared().start(List.of("node", "epoch.js"), options)) {
      Step step = told.await("it tells the epoch", Step.named("epoch"));
      assertEquals(epoch, step.text("writer_epoch"));
      assertEquals("9007199254740994", step.text("next"));
    }
  }

  @Test
  void a_person_with_grpcurl_takes_over_and_continues_at_the_exact_token() {
    RESULTS.isTestOf(GRPCURL);
    Program grpcurl = Program.require(GRPCURL, GrpcurlTest.HOW_TO_GET_IT);
    Recording recording = Recording.choose();
    AdmittedSubmission work = admit("by-hand");
    TakeOverByHand taken = new TakeOverByHand(grpcurl, target(), directory, work, recording);
    taken.run();
    RESULTS.takenOver(taken.resumedAt(), taken.duplicates());
    assertEquals(0, taken.duplicates());
    work.assertAnsweredBy(recording);
  }
}

package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.it.ServerProcess;
import io.agentjournal.v1.ErrorReason;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.LongStream;
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

  private static AdmittedSubmission admit(String name) {
    return AdmittedSubmission.admit(Objects.requireNonNull(channel), name);
  }

  @ParameterizedTest
  @EnumSource
  void agent_that_is_killed_in_the_middle_of_a_response_is_continued_at_the_exact_token(
      ClientLanguage language) {
    RESULTS.isTestOf(key(language));
    ClientPrograms programs = language.prepare();
    Recording recording = Recording.choose();
    AdmittedSubmission work = admit("killed-" + key(language));
    try (TellingProcess first = programs.startAgent(target(), work.id(), "first", recording)) {
      String streamKey = first.await("it streams", Step.named("streams")).text("stream_key");
      try (TellingProcess follower = programs.startFollower(target(), streamKey)) {
        first.await("a third is durable", Step.durableFrom(recording.size() / 3));
        first.kill9();
        assertTrue(first.lastDurable() < recording.size(), "it was killed too late");
        try (TellingProcess second =
            programs.startAgent(target(), work.id(), "second", recording)) {
          Step claimed = second.await("it has the work", Step.named("claimed"));
          assertEquals("RECOVERY_ACTION_CONTINUE_STREAM", claimed.text("action"));
          long resumedAt = claimed.number("next_index");
          assertTrue(resumedAt >= first.lastDurable(), "nothing acknowledged is lost");
          assertEquals(0, second.awaitExit(), second::toString);
          long rebought = asked(second).filter(index -> index < resumedAt).count();
          RESULTS.takenOver(resumedAt, rebought);
          assertEquals(0, rebought, "tokens that were stored were asked of the model again");
          Step resumed = second.await("it streams", Step.named("streams"));
          assertEquals(streamKey, resumed.text("stream_key"));
          assertEquals(resumedAt, resumed.number("start"));
          assertEquals(
              indexes(recording.size()),
              LongStream.concat(asked(first), asked(second)).distinct().sorted().boxed().toList(),
              "every token was asked for");
        }
        sawEverythingOnce(follower, recording);
      }
    }
    work.assertAnsweredBy(recording);
    assertEquals(2, work.markers().size());
  }

  private static void sawEverythingOnce(TellingProcess follower, Recording recording) {
    assertEquals(0, follower.awaitExit(), follower::toString);
    List<Step> segments = follower.steps(Step.named("segment"));
    assertEquals(
        indexes(recording.size()), segments.stream().map(step -> step.number("index")).toList());
    assertEquals(recording.events(), segments.stream().map(step -> step.text("text")).toList());
    assertEquals("READ_END_REASON_COMPLETE", follower.lastStep().text("reason"));
    assertEquals(recording.size(), follower.lastStep().number("next_index"));
  }

  /** The tokens that the model was asked for. */
  private static LongStream asked(TellingProcess agent) {
    return agent.steps(Step.named("asked")).stream().mapToLong(step -> step.number("index"));
  }

  private static List<Long> indexes(int size) {
    return LongStream.range(0, size).boxed().toList();
  }

  @ParameterizedTest
  @EnumSource
  void agent_that_wakes_up_after_its_lease_reads_in_the_error_that_it_is_stale(
      ClientLanguage language) {
    RESULTS.isTestOf(key(language));
    ClientPrograms programs = language.prepare();
    Recording recording = Recording.choose();
    AdmittedSubmission work = admit("zombie-" + key(language));
    try (TellingProcess first = programs.startAgent(target(), work.id(), "first", recording)) {
      first.await("a third is durable", Step.durableFrom(recording.size() / 3));
      String stale = first.steps(Step.named("claimed")).get(0).text("attempt");
      first.freeze();
      try (TellingProcess second = programs.startAgent(target(), work.id(), "second", recording)) {
        String current = second.await("it has the work", Step.named("claimed")).text("attempt");
        first.thaw();
        assertEquals(3, first.awaitExit(), first::toString);
        Step refused = first.lastStep();
        assertEquals("STALE_ATTEMPT", refused.text("reason"), refused::toString);
        assertEquals(stale, refused.fact("attempt_id"), refused::toString);
        assertEquals(current, refused.fact("current_attempt_id"), refused::toString);
        assertEquals(0, second.awaitExit(), second::toString);
      }
      assertEquals(ErrorReason.ERROR_REASON_ALREADY_SETTLED, work.commitRefusal(stale));
    }
    work.assertAnsweredBy(recording);
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

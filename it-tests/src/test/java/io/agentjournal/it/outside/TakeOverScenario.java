package io.agentjournal.it.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.v1.ErrorReason;
import java.util.List;
import java.util.stream.LongStream;

/** What is asked of the agents of every language: one does not get to the end, another one does. */
record TakeOverScenario(ClientPrograms programs, String target, AdmittedSubmission work) {
  /**
   * What it cost.
   *
   * @param resumedAt the index at which the second agent went on
   * @param rebought how many tokens it asked of the model though they were stored
   */
  record TakeOver(long resumedAt, long rebought) {}

  /** The first one is killed, and nobody who follows notices. */
  TakeOver killedInTheMiddle() {
    Recording recording = Recording.choose();
    try (TellingProcess first = startAgent("first", recording)) {
      String streamKey = first.await("it streams", Step.named("streams")).text("stream_key");
      try (TellingProcess follower = programs.startFollower(target, streamKey)) {
        first.await("a third is durable", Step.durableFrom(recording.size() / 3));
        first.kill9();
        assertTrue(first.lastDurable() < recording.size(), "it was killed too late");
        TakeOver taken = continued(first, streamKey, recording);
        sawEverythingOnce(follower, recording);
        work.assertAnsweredBy(recording);
        assertEquals(2, work.markers().size());
        return taken;
      }
    }
  }

  private TakeOver continued(TellingProcess first, String streamKey, Recording recording) {
    try (TellingProcess second = startAgent("second", recording)) {
      Step claimed = second.await("it has the work", Step.named("claimed"));
      assertEquals("RECOVERY_ACTION_CONTINUE_STREAM", claimed.text("action"));
      long resumedAt = claimed.number("next_index");
      assertTrue(resumedAt >= first.lastDurable(), "nothing acknowledged is lost");
      assertEquals(0, second.awaitExit(), second::toString);
      Step resumed = second.await("it streams", Step.named("streams"));
      assertEquals(streamKey, resumed.text("stream_key"));
      assertEquals(resumedAt, resumed.number("start"));
      assertEquals(
          indexes(recording.size()),
          LongStream.concat(asked(first), asked(second)).distinct().sorted().boxed().toList(),
          "every token was asked for");
      return new TakeOver(resumedAt, asked(second).filter(index -> index < resumedAt).count());
    }
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

  /** The first one sleeps past its lease and, when it wakes up, is told what it has become. */
  void frozenInTheMiddle() {
    Recording recording = Recording.choose();
    try (TellingProcess first = startAgent("first", recording)) {
      first.await("a third is durable", Step.durableFrom(recording.size() / 3));
      String stale = first.steps(Step.named("claimed")).get(0).text("attempt");
      first.freeze();
      try (TellingProcess second = startAgent("second", recording)) {
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

  private TellingProcess startAgent(String owner, Recording recording) {
    return programs.startAgent(target, work.id(), owner, recording);
  }

  /** The tokens that the model was asked for. */
  private static LongStream asked(TellingProcess agent) {
    return agent.steps(Step.named("asked")).stream().mapToLong(step -> step.number("index"));
  }

  private static List<Long> indexes(int size) {
    return LongStream.range(0, size).boxed().toList();
  }
}

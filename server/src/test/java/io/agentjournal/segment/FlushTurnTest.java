package io.agentjournal.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.key.Namespace;
import io.agentjournal.key.StreamKey;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** When a lane lets the next one work. */
final class FlushTurnTest {
  private static final Duration SHORT = Duration.ofNanos(300_000);
  private static final Duration LONG = Duration.ofMillis(5);

  private final Semaphore turns = new Semaphore(1);
  private final LaneQueue waiting = new LaneQueue();
  private long now = 1;
  private final FlushTurn turn = new FlushTurn(turns, waiting, new CommitPace(), () -> now);

  private void commit(int times, Duration each) {
    for (int i = 0; i < times; i++) {
      turn.begin();
      turn.written();
      now += each.toNanos();
      turn.committed();
    }
  }

  private void assertKeptWhileItCommits() {
    turn.begin();
    turn.written();
    assertEquals(0, turns.availablePermits());
  }

  private void assertGivenBackBeforeItCommits() {
    turn.begin();
    turn.written();
    assertEquals(1, turns.availablePermits());
  }

  @Test
  void a_lane_whose_commits_are_short_keeps_its_turn() {
    commit(100, SHORT);
    assertKeptWhileItCommits();
  }

  @Test
  void a_lane_gives_its_turn_back_before_a_short_commit_when_enough_streams_wait() {
    commit(100, SHORT);
    for (int i = 1; i < FlushTurn.WORTH_A_FLUSH; i++) {
      waiting.add(LaneQueueTest.batch(stream(i), 0, 10));
      waiting.add(LaneQueueTest.batch(stream(i), 1, 10));
    }
    assertKeptWhileItCommits();
    waiting.add(LaneQueueTest.batch(stream(0), 0, 10));
    assertGivenBackBeforeItCommits();
  }

  private static StreamKey stream(int number) {
    return new StreamKey(Namespace.DEFAULT, "stream-" + number);
  }

  @Test
  void a_lane_whose_commits_take_long_gives_its_turn_back_before_them() {
    commit(100, LONG);
    assertGivenBackBeforeItCommits();
  }

  @Test
  void a_single_long_commit_among_short_ones_changes_nothing() {
    commit(100, SHORT);
    commit(1, LONG.multipliedBy(2));
    assertKeptWhileItCommits();
  }

  @Test
  void a_lane_takes_its_turn_again_and_keeps_it_when_commits_are_short_again() {
    commit(100, LONG);
    commit(100, SHORT);
    assertKeptWhileItCommits();
  }

  @Test
  void a_turn_is_given_back_once() {
    commit(100, LONG);
    turn.begin();
    turn.end();
    turn.end();
    assertEquals(1, turns.availablePermits());
  }
}

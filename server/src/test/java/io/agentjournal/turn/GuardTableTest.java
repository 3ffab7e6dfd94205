package io.agentjournal.turn;

import static io.agentjournal.v1.ErrorReason.ERROR_REASON_ALREADY_SETTLED;
import static io.agentjournal.v1.ErrorReason.ERROR_REASON_ILLEGAL_PHASE;
import static io.agentjournal.v1.ErrorReason.ERROR_REASON_STALE_ATTEMPT;
import static io.agentjournal.v1.ErrorReason.ERROR_REASON_TURN_COMMITTED;
import static io.agentjournal.v1.ErrorReason.ERROR_REASON_TURN_NOT_FOUND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ProviderStart;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every call about turn "t1" in every state that it can be in: by whoever holds the submission, and
 * by others.
 */
final class GuardTableTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  /** How far attempt "a" brought turn "t1". */
  enum State {
    NO_TURN,
    BEFORE_PROVIDER,
    PROVIDER_STARTED,
    TOOL_REQUEST_RECORDED,
    COMMITTED,
    SUPERSEDED;

    void reach(Trial trial) {
      if (this == NO_TURN) {
        return;
      }
      trial.begun("a", "t1");
      if (this == BEFORE_PROVIDER) {
        return;
      }
      trial.start("a", "t1");
      switch (this) {
        case TOOL_REQUEST_RECORDED -> trial.request("a", "t1", Trial.call("c1"));
        case COMMITTED -> trial.commit("a", "t1");
        case SUPERSEDED -> trial.begun("a", "t2");
        case NO_TURN, BEFORE_PROVIDER, PROVIDER_STARTED -> {}
      }
    }
  }

  /** Every call that writes, as one that is no repeat of what "a" did. */
  enum Call {
    BEGIN,
    START,
    CONSUME,
    REQUEST,
    START_TOOL,
    END_TOOL,
    COMMIT,
    REPLACE;

    void make(Trial trial, String attempt) {
      switch (this) {
        case BEGIN -> trial.begun(attempt, "t9");
        case START -> trial.start(attempt, "t1", start("key-" + trial.id));
        case CONSUME -> trial.consume(attempt, "t1", trial.streamKey("t1", "a"));
        case REQUEST -> trial.request(attempt, "t1", Trial.call("c9"));
        case START_TOOL -> trial.update(attempt, "t1", Trial.start("c1"));
        case END_TOOL -> trial.update(attempt, "t1", Trial.result("c1", Trial.entry("r1", "42")));
        case COMMIT ->
            trial.turns.commitTurnJournal(
                trial.committing(attempt, "t1").addEntries(Trial.entry("e9", "x")).build());
        case REPLACE -> trial.replace(attempt, "next");
      }
    }

    private static ProviderStart start(String streamKey) {
      return ProviderStart.newBuilder().setStreamKey(streamKey).build();
    }

    /** By whoever holds the submission. */
    boolean isPossibleIn(State state) {
      return switch (this) {
        case BEGIN, REPLACE -> true;
        case START -> state == State.BEFORE_PROVIDER;
        case CONSUME, REQUEST -> state == State.PROVIDER_STARTED;
        case START_TOOL, END_TOOL -> state == State.TOOL_REQUEST_RECORDED;
        case COMMIT -> state == State.PROVIDER_STARTED || state == State.TOOL_REQUEST_RECORDED;
      };
    }
  }

  static Stream<Arguments> cells() {
    return Arrays.stream(State.values())
        .flatMap(state -> Arrays.stream(Call.values()).map(call -> Arguments.of(state, call)));
  }

  @ParameterizedTest
  @MethodSource("cells")
  void holder_may_do_what_the_phase_allows_and_nothing_else(State state, Call call) {
    Trial trial = Trial.running(JOURNAL);
    state.reach(trial);
    trial.replace("a", "b");
    List<String> before = trial.stored.all();
    if (call.isPossibleIn(state)) {
      call.make(trial, "b");
      assertNotEquals(before, trial.stored.all());
    } else {
      assertEquals(refusalIn(state), Refused.from(() -> call.make(trial, "b")).reason());
      assertEquals(before, trial.stored.all());
    }
  }

  private static ErrorReason refusalIn(State state) {
    return switch (state) {
      case NO_TURN -> ERROR_REASON_TURN_NOT_FOUND;
      case COMMITTED -> ERROR_REASON_TURN_COMMITTED;
      case BEFORE_PROVIDER, PROVIDER_STARTED, TOOL_REQUEST_RECORDED, SUPERSEDED ->
          ERROR_REASON_ILLEGAL_PHASE;
    };
  }

  @ParameterizedTest
  @EnumSource
  void replaced_attempt_may_do_nothing_and_changes_nothing(State state) {
    Trial trial = Trial.running(JOURNAL);
    state.reach(trial);
    trial.replace("a", "b");
    allAreRefused(trial, "a", ERROR_REASON_STALE_ATTEMPT);
  }

  @ParameterizedTest
  @EnumSource
  void attempt_that_never_held_it_may_do_nothing_and_changes_nothing(State state) {
    Trial trial = Trial.running(JOURNAL);
    state.reach(trial);
    allAreRefused(trial, "stranger", ERROR_REASON_STALE_ATTEMPT);
  }

  @ParameterizedTest
  @EnumSource
  void nobody_may_do_anything_after_the_settlement(State state) {
    Trial trial = Trial.running(JOURNAL);
    state.reach(trial);
    trial.settle("a", Trial.failed());
    allAreRefused(trial, "a", ERROR_REASON_ALREADY_SETTLED);
  }

  private static void allAreRefused(Trial trial, String attempt, ErrorReason reason) {
    List<String> before = trial.stored.all();
    for (Call call : Call.values()) {
      Refused refused = Refused.from(() -> call.make(trial, attempt));
      assertEquals(reason, refused.reason(), call.name());
    }
    assertEquals(before, trial.stored.all());
  }
}

package io.agentjournal.run;

import static io.agentjournal.run.JournalledRun.call;
import static io.agentjournal.run.JournalledRun.decision;
import static io.agentjournal.run.JournalledRun.result;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AssertReplayOrderRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.EventKind;
import io.agentjournal.v1.ReplayStep;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class AssertReplayOrderTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final JournalledRun run = new JournalledRun(SERVER);

  @BeforeEach
  void record() {
    run.append(decision(0, "1"), call(0, "1"), result(0, "1"), decision(2, "1"));
  }

  @Test
  void exact_order_passes_with_seqs_or_with_kinds_only() {
    check("0:MODEL_DECISION", "0:TOOL_CALL", "0:TOOL_RESULT", "2:MODEL_DECISION");
    check("MODEL_DECISION", "TOOL_CALL", "TOOL_RESULT", "MODEL_DECISION");
  }

  @Test
  void first_difference_is_told_with_what_is_expected_and_what_is_recorded() {
    mismatch(
        "3",
        "1:model_decision",
        "2:model_decision",
        "0:MODEL_DECISION",
        "0:TOOL_CALL",
        "0:TOOL_RESULT",
        "1:MODEL_DECISION");
    mismatch("1", "tool_result", "tool_call", "MODEL_DECISION", "TOOL_RESULT", "TOOL_CALL");
  }

  @Test
  void shorter_and_longer_lists_are_mismatches() {
    Refused more = mismatch("2", null, "tool_result", "MODEL_DECISION", "TOOL_CALL");
    assertFalse(more.facts().containsKey("expected"));
    Refused less =
        mismatch(
            "4",
            "iteration",
            null,
            "MODEL_DECISION",
            "TOOL_CALL",
            "TOOL_RESULT",
            "MODEL_DECISION",
            "ITERATION");
    assertFalse(less.facts().containsKey("found"));
    mismatch("0", null, "model_decision");
  }

  @Test
  void run_without_events_is_in_the_order_of_nothing() {
    JournalledRun empty = new JournalledRun(SERVER);

    empty.journal.assertReplayOrder(
        AssertReplayOrderRequest.newBuilder().setRunId(empty.id).build());
  }

  @Test
  void seq_in_some_steps_and_not_in_others_is_refused_and_so_is_no_kind() {
    for (List<String> expected :
        List.of(List.of("0:MODEL_DECISION", "TOOL_CALL"), List.of("UNSPECIFIED"))) {
      Refused.from(() -> check(expected.toArray(String[]::new)))
          .mustBe(Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD);
    }
  }

  private Refused mismatch(
      String position, @Nullable String expected, @Nullable String found, String... steps) {
    Refused refused = Refused.from(() -> check(steps));
    refused.mustBe(
        Status.Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_REPLAY_MISMATCH,
        "position",
        position);
    assertEquals(expected, refused.facts().get("expected"));
    assertEquals(found, refused.facts().get("found"));
    return refused;
  }

  private void check(String... steps) {
    List<ReplayStep> expected = new ArrayList<>();
    for (String step : steps) {
      String[] parts = step.split(":", -1);
      ReplayStep.Builder message =
          ReplayStep.newBuilder()
              .setKind(EventKind.valueOf("EVENT_KIND_" + parts[parts.length - 1]));
      if (parts.length == 2) {
        message.setSeq(Long.parseLong(parts[0]));
      }
      expected.add(message.build());
    }
    run.journal.assertReplayOrder(
        AssertReplayOrderRequest.newBuilder().setRunId(run.id).addAllExpected(expected).build());
  }
}

package io.agentjournal.turn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.GetTurnJournalRequest;
import io.agentjournal.v1.TurnJournal;
import io.grpc.Status.Code;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class GetTurnJournalTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  @Test
  void slot_is_answered_and_asking_changes_nothing() {
    Trial trial = Trial.requested(JOURNAL);
    List<String> before = trial.stored.all();
    TurnJournal slot = trial.journal();
    assertEquals("t1", slot.getTurnId());
    assertEquals(2, slot.getCallsCount());
    assertEquals(before, trial.stored.all());
  }

  @Test
  void arguments_above_256_kib_in_all_are_left_out() {
    Trial trial = Trial.started(JOURNAL);
    ByteString half = ByteString.copyFrom(new byte[128 << 10]);
    trial.request(
        "a",
        "t1",
        Trial.call("c1").toBuilder().setArguments(half).build(),
        Trial.call("c2").toBuilder().setArguments(half).build());
    assertEquals(half, trial.journal().getCalls(1).getArguments());

    trial.commit("a", "t1");
    trial.begun("a", "t2");
    trial.start("a", "t2");
    trial.request(
        "a",
        "t2",
        Trial.call("c1").toBuilder().setArguments(half).build(),
        Trial.call("c2").toBuilder()
            .setArguments(half.concat(ByteString.copyFromUtf8("x")))
            .build());
    TurnJournal slot = trial.journal();
    assertTrue(slot.getArgumentsOmitted());
    assertEquals(2, slot.getCallsCount());
    assertEquals(ByteString.EMPTY, slot.getCalls(0).getArguments());
  }

  @Test
  void submission_without_a_turn_has_no_slot() {
    Trial trial = Trial.running(JOURNAL);
    Refused.from(trial::journal).mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_TURN_NOT_FOUND);
  }

  @Test
  void unknown_submission_is_not_found() {
    Trial trial = Trial.running(JOURNAL);
    Refused.from(
            () ->
                trial.turns.getTurnJournal(
                    GetTurnJournalRequest.newBuilder().setSubmissionId("nobody's").build()))
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
  }
}

package io.agentjournal.turn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ListTurnsRequest;
import io.agentjournal.v1.ListTurnsResponse;
import io.agentjournal.v1.Page;
import io.agentjournal.v1.Turn;
import io.agentjournal.v1.TurnPhase;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class ListTurnsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static ListTurnsResponse list(Trial trial, Page page) {
    return trial.turns.listTurns(
        ListTurnsRequest.newBuilder().setSubmissionId(trial.id).setPage(page).build());
  }

  @Test
  void every_turn_is_told_oldest_first_with_how_far_it_got() {
    Trial trial = Trial.started(JOURNAL);
    trial.turns.commitTurnJournal(
        trial.committing("a", "t1").addEntries(Trial.entry("e1", "one")).build());
    trial.begun("a", "t2");
    trial.replace("a", "b");
    trial.begun("b", "t3");
    trial.start("b", "t3");
    List<Turn> turns = list(trial, Page.getDefaultInstance()).getTurnsList();
    assertEquals(List.of("t1", "t2", "t3"), turns.stream().map(Turn::getTurnId).toList());
    assertEquals(List.of(1L, 2L, 3L), turns.stream().map(Turn::getRevision).toList());
    assertEquals(List.of("a", "a", "b"), turns.stream().map(Turn::getAttemptId).toList());
    assertEquals(
        List.of(
            TurnPhase.TURN_PHASE_COMMITTED,
            TurnPhase.TURN_PHASE_BEFORE_PROVIDER,
            TurnPhase.TURN_PHASE_PROVIDER_STARTED),
        turns.stream().map(Turn::getPhase).toList());
    assertEquals("e1", turns.get(0).getCommittedLeafId());
    assertEquals(trial.streamKey("t1", "a"), turns.get(0).getStreamKey());
    assertEquals("op", turns.get(0).getOperationId());
    assertTrue(turns.get(0).hasBegunAt());
    assertTrue(turns.get(0).hasCommittedAt());
  }

  @Test
  void pages_join_without_gap_or_repeat() {
    Trial trial = Trial.running(JOURNAL);
    List<String> expected = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      trial.begun("a", "t" + i);
      expected.add("t" + i);
    }
    List<String> read = new ArrayList<>();
    Page page = Page.newBuilder().setSize(2).build();
    while (true) {
      ListTurnsResponse answer = list(trial, page);
      answer.getTurnsList().forEach(turn -> read.add(turn.getTurnId()));
      if (answer.getNextPageToken().isEmpty()) {
        break;
      }
      page = page.toBuilder().setToken(answer.getNextPageToken()).build();
    }
    assertEquals(expected, read);
  }

  @Test
  void submission_without_turns_has_an_empty_list() {
    Trial trial = Trial.running(JOURNAL);
    assertEquals(List.of(), list(trial, Page.getDefaultInstance()).getTurnsList());
  }

  @Test
  void token_of_another_list_is_invalid() {
    Trial one = Trial.running(JOURNAL);
    one.begun("a", "t1");
    one.begun("a", "t2");
    String token = list(one, Page.newBuilder().setSize(1).build()).getNextPageToken();
    Trial other = Trial.running(JOURNAL);
    for (String wrong : List.of(token, "nonsense", "AA")) {
      Refused.from(() -> list(other, Page.newBuilder().setToken(wrong).build()))
          .mustBe(
              Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "page.token");
    }
  }

  @Test
  void page_size_is_1_to_1000() {
    Trial trial = Trial.running(JOURNAL);
    for (int size : List.of(0, -1, 1001)) {
      Refused.from(() -> list(trial, Page.newBuilder().setSize(size).build()))
          .mustBe(
              Code.INVALID_ARGUMENT,
              ErrorReason.ERROR_REASON_INVALID_FIELD,
              "field",
              "page.size",
              "value",
              Integer.toString(size));
    }
  }

  @Test
  void unknown_submission_is_not_found() {
    Trial trial = Trial.running(JOURNAL);
    Refused.from(
            () ->
                trial.turns.listTurns(
                    ListTurnsRequest.newBuilder().setSubmissionId("nobody's").build()))
        .mustBe(Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
  }
}

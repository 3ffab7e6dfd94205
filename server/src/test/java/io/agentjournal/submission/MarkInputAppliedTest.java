package io.agentjournal.submission;

import static io.agentjournal.submission.SubmissionCaller.attempt;
import static io.agentjournal.submission.SubmissionCaller.entry;
import static io.agentjournal.submission.SubmissionCaller.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.MarkInputAppliedRequest;
import io.agentjournal.v1.MarkInputAppliedResponse;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.RecoveryAction;
import io.grpc.Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class MarkInputAppliedTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);

  private MarkInputAppliedResponse mark(AttemptRef attempt, NewEntry... entries) {
    MarkInputAppliedRequest.Builder request =
        MarkInputAppliedRequest.newBuilder().setAttempt(attempt);
    for (NewEntry entry : entries) {
      request.addEntries(entry);
    }
    return calls.stub().markInputApplied(request.build());
  }

  private long entriesOf(AttemptRef attempt) {
    return rows.count(
        "SELECT count(*) FROM entries WHERE session_key = ?",
        calls.submission(attempt.getSubmissionId()).getSessionKey());
  }

  @Test
  void stamp_and_entries_are_one_transaction() {
    AttemptRef attempt = calls.claimed();
    MarkInputAppliedResponse marked = mark(attempt, entry("in-1", "hello"), entry("in-2", "you"));
    assertTrue(marked.getApplied());
    assertEquals("in-2", marked.getLeafId());
    assertTrue(calls.submission(attempt.getSubmissionId()).hasInputAppliedAt());
    assertEquals(2, entriesOf(attempt));
    assertEquals(
        RecoveryAction.RECOVERY_ACTION_BEGIN_TURN, calls.claim(attempt).getPlan().getAction());
  }

  @Test
  void without_entries_it_only_stamps() {
    AttemptRef attempt = calls.claimed();
    assertTrue(mark(attempt).getApplied());
    assertFalse(mark(attempt).getApplied());
    assertEquals(0, entriesOf(attempt));
  }

  @Test
  void repeat_is_applied_false_and_stores_nothing_twice() {
    AttemptRef attempt = calls.claimed();
    mark(attempt, entry("in-1", "hello"));
    MarkInputAppliedResponse repeat = mark(attempt, entry("in-1", "hello"));
    assertFalse(repeat.getApplied());
    assertEquals("in-1", repeat.getLeafId());
    assertEquals(1, entriesOf(attempt));
  }

  /** The call that stamped it is repeated after somebody else has taken over. */
  @Test
  void repeat_by_the_attempt_that_stamped_it_is_a_repeat_also_when_it_was_replaced() {
    AttemptRef first = calls.claimed();
    mark(first, entry("in-1", "hello"));
    rows.endLease(first.getSubmissionId());
    AttemptRef second = calls.claimed(first.getSubmissionId());
    assertFalse(mark(first, entry("in-1", "hello")).getApplied());
    assertFalse(mark(second, entry("in-1", "hello")).getApplied());
    assertEquals(1, entriesOf(first));
  }

  @Test
  void input_is_not_applied_a_second_time_under_other_ids() {
    AttemptRef attempt = calls.claimed();
    mark(attempt, entry("in-1", "hello"));
    Refused.from(() -> mark(attempt, entry("in-2", "hello")))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ILLEGAL_PHASE,
            "phase",
            "input_applied");
    assertEquals(1, entriesOf(attempt));
  }

  @Test
  void stale_attempt_is_refused_and_changes_nothing() {
    AttemptRef first = calls.claimed();
    rows.endLease(first.getSubmissionId());
    AttemptRef second = calls.claimed(first.getSubmissionId());
    Refused.from(() -> mark(first, entry("in-1", "hello")))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "current_attempt_id",
            second.getAttemptId());
    assertEquals(0, entriesOf(first));
    assertFalse(calls.submission(first.getSubmissionId()).hasInputAppliedAt());
  }

  /** The fence comes before what the entries are. */
  @Test
  void attempt_that_stamped_it_and_was_replaced_is_told_so_whatever_its_entries_are() {
    AttemptRef first = calls.claimed();
    mark(first, entry("in-1", "hello"));
    rows.endLease(first.getSubmissionId());
    AttemptRef second = calls.claimed(first.getSubmissionId());
    for (NewEntry other : List.of(entry("in-1", "hello!"), entry("in-2", "hello"))) {
      Refused.from(() -> mark(first, other))
          .mustBe(
              Status.Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_STALE_ATTEMPT,
              "current_attempt_id",
              second.getAttemptId());
    }
    assertEquals(1, entriesOf(first));
  }

  @Test
  void settled_submission_is_refused() {
    AttemptRef attempt = calls.claimed();
    calls.settle(attempt, Outcome.OUTCOME_FAILED);
    Refused.from(() -> mark(attempt, entry("in-1", "hello")))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_ALREADY_SETTLED,
            "outcome",
            "FAILED");
  }

  @Test
  void unknown_submission_is_not_found() {
    Refused.from(() -> mark(attempt("nobody-knows-it", "a")))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
  }

  @Test
  void moved_leaf_missing_parent_and_other_content_are_refused_and_stamp_nothing() {
    AttemptRef attempt = calls.claimed();
    MarkInputAppliedRequest moved =
        MarkInputAppliedRequest.newBuilder()
            .setAttempt(attempt)
            .addEntries(entry("in-1", "hello"))
            .setExpectedLeafId("elsewhere")
            .build();
    Refused.from(() -> calls.stub().markInputApplied(moved))
        .mustBe(Status.Code.ABORTED, ErrorReason.ERROR_REASON_LEAF_MOVED, "leaf_id", "");
    NewEntry orphan = entry("in-1", "hello").toBuilder().setParentId("missing").build();
    Refused.from(() -> mark(attempt, orphan))
        .mustBe(
            Status.Code.NOT_FOUND,
            ErrorReason.ERROR_REASON_PARENT_NOT_FOUND,
            "parent_id",
            "missing");
    assertFalse(calls.submission(attempt.getSubmissionId()).hasInputAppliedAt());
    assertEquals(0, entriesOf(attempt));
    mark(attempt, entry("in-1", "hello"));
    Refused.from(() -> mark(attempt, entry("in-1", "hello!")))
        .mustBe(
            Status.Code.ALREADY_EXISTS,
            ErrorReason.ERROR_REASON_ENTRY_CONFLICT,
            "entry_id",
            "in-1");
    assertEquals(
        "hello",
        rows.value(
            "SELECT convert_from(payload, 'UTF8') FROM entries WHERE submission_id = ?",
            attempt.getSubmissionId()));
  }

  @Test
  void entry_says_what_it_is() {
    AttemptRef attempt = calls.claimed();
    Refused.from(() -> mark(attempt, NewEntry.newBuilder().setEntryId("in-1").build()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "kind");
    Refused.from(() -> mark(attempt, entry("in-1", "a"), entry("in-1", "a")))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "entry_id");
    NewEntry large =
        NewEntry.newBuilder()
            .setEntryId("in-1")
            .setKind("user")
            .setPayload(text("x".repeat((16 << 20) + 1)))
            .build();
    Refused.from(() -> mark(attempt, large))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_TOO_LARGE,
            "field",
            "entries.payload",
            "size",
            Integer.toString((16 << 20) + 1),
            "limit",
            Integer.toString(16 << 20));
    assertEquals(0, entriesOf(attempt));
  }
}

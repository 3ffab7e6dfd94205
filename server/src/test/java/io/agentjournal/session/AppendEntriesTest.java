package io.agentjournal.session;

import static io.agentjournal.session.SessionCaller.below;
import static io.agentjournal.session.SessionCaller.entry;
import static io.agentjournal.session.SessionCaller.fresh;
import static io.agentjournal.session.SessionCaller.pathOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.submission.Rows;
import io.agentjournal.submission.SubmissionCaller;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AppendEntriesRequest;
import io.agentjournal.v1.AppendEntriesResponse;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Payload;
import io.agentjournal.v1.Session;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class AppendEntriesTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SessionCaller calls = SessionCaller.on(JOURNAL.channel());
  private final SubmissionCaller submissions = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);
  private final String session = fresh("session");

  private AppendEntriesRequest.Builder request(NewEntry... entries) {
    return AppendEntriesRequest.newBuilder().setSessionKey(session).addAllEntries(List.of(entries));
  }

  private Refused refused(AppendEntriesRequest.Builder request) {
    return Refused.from(() -> calls.stub().appendEntries(request.build()));
  }

  @Test
  void entries_hang_on_each_other_and_the_leaf_moves_to_the_last_one() {
    AppendEntriesResponse appended = calls.append(session, entry("a"), entry("b"));
    assertTrue(appended.getApplied());
    assertEquals("b", appended.getLeafId());
    assertEquals("c", calls.append(session, entry("c")).getLeafId());
    assertEquals(List.of("a", "b", "c"), calls.pathIds(pathOf(session).build()));
    Session stored = calls.session(session);
    assertEquals(3, stored.getEntryCount());
    assertEquals(3L * "text of a".length(), stored.getSizeBytes());
  }

  @Test
  void first_entry_elsewhere_than_on_the_leaf_is_a_branch_and_the_leaf_stays() {
    calls.append(session, entry("a"), entry("b"));
    AppendEntriesResponse branch = calls.append(session, below("a", "x"), entry("y"));
    assertEquals("b", branch.getLeafId());
    assertEquals(List.of("a", "x", "y"), calls.pathIds(pathOf(session).setLeafId("y").build()));
    NewEntry root = entry("r").toBuilder().setParentId("").build();
    assertEquals("b", calls.append(session, root).getLeafId());
    assertEquals(List.of("r"), calls.pathIds(pathOf(session).setLeafId("r").build()));
  }

  @Test
  void same_again_is_applied_false_whatever_the_leaf_is_by_now() {
    calls.append(session, entry("a"), entry("b"));
    calls.append(session, entry("c"));
    AppendEntriesResponse repeat =
        calls.stub().appendEntries(request(entry("a"), entry("b")).setExpectedLeafId("").build());
    assertFalse(repeat.getApplied());
    assertEquals("c", repeat.getLeafId());
    assertEquals(3, calls.session(session).getEntryCount());
  }

  @Test
  void other_content_another_parent_or_a_part_of_them_is_a_conflict() {
    calls.append(session, entry("a"), entry("b"));
    List<AppendEntriesRequest.Builder> others =
        List.of(
            request(SubmissionCaller.entry("b", "something else")),
            request(entry("b").toBuilder().setKind("assistant").build()),
            request(entry("b").toBuilder().setToolCallId("call").build()),
            request(
                entry("b").toBuilder()
                    .setPayload(
                        Payload.newBuilder().setData(entry("b").getPayload().getTextBytes()))
                    .build()),
            request(entry("b").toBuilder().setParentId("").build()),
            request(entry("b"), entry("c")));
    for (AppendEntriesRequest.Builder other : others) {
      refused(other)
          .mustBe(
              Status.Code.ALREADY_EXISTS, ErrorReason.ERROR_REASON_ENTRY_CONFLICT, "entry_id", "b");
    }
    assertEquals(2, calls.session(session).getEntryCount());
  }

  /**
   * B109: of two appends on the same leaf the stale one is refused, or says that it is a branch.
   */
  @Test
  void moved_leaf_is_refused_and_nothing_is_stored() {
    calls.append(session, entry("a"));
    refused(request(entry("b")).setExpectedLeafId("z"))
        .mustBe(
            Status.Code.ABORTED,
            ErrorReason.ERROR_REASON_LEAF_MOVED,
            "session_key",
            session,
            "expected_leaf_id",
            "z",
            "leaf_id",
            "a");
    refused(request(entry("b")).setExpectedLeafId(""))
        .mustBe(Status.Code.ABORTED, ErrorReason.ERROR_REASON_LEAF_MOVED);
    assertEquals(1, calls.session(session).getEntryCount());
    calls.stub().appendEntries(request(entry("b")).setExpectedLeafId("a").build());
  }

  @Test
  void missing_parent_is_refused_and_all_or_nothing_is_stored() {
    refused(request(entry("a"), below("missing", "b")))
        .mustBe(
            Status.Code.NOT_FOUND,
            ErrorReason.ERROR_REASON_PARENT_NOT_FOUND,
            "parent_id",
            "missing");
    // A parent comes before its children.
    refused(request(below("b", "a"), entry("b")))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_PARENT_NOT_FOUND);
    Refused.from(() -> calls.session(session))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_NOT_FOUND);
  }

  @Test
  void attempt_appends_to_its_own_session_and_the_entries_tell_whose_they_are() {
    AttemptRef attempt = running();
    calls.stub().appendEntries(request(entry("a")).setAttempt(attempt).build());
    assertEquals(
        attempt.getSubmissionId(),
        calls.path(pathOf(session).build()).get(0).getEntries(0).getSubmissionId());
    String other = fresh("session");
    Refused.from(
            () ->
                calls
                    .stub()
                    .appendEntries(
                        request(entry("b")).setSessionKey(other).setAttempt(attempt).build()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "attempt.submission_id");
  }

  private AttemptRef running() {
    String id = fresh("sub");
    submissions.admit(session, id);
    return submissions.claimed(id);
  }

  /** The fence comes before what the entries are. */
  @Test
  void stale_attempt_is_told_so_whatever_its_entries_are() {
    AttemptRef first = running();
    AppendEntriesRequest before = request(entry("a")).setAttempt(first).build();
    assertTrue(calls.stub().appendEntries(before).getApplied());
    rows.endLease(first.getSubmissionId());
    AttemptRef second = submissions.claimed(first.getSubmissionId());
    refused(request(entry("a"), entry("b")).setAttempt(first))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "current_attempt_id",
            second.getAttemptId());
    assertEquals(1, calls.session(session).getEntryCount());
  }

  @Test
  void stale_attempt_is_refused_and_changes_nothing() {
    AttemptRef first = running();
    rows.endLease(first.getSubmissionId());
    AttemptRef second = submissions.claimed(first.getSubmissionId());
    refused(request(entry("a")).setAttempt(first))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_STALE_ATTEMPT,
            "current_attempt_id",
            second.getAttemptId());
    assertEquals(0, calls.session(session).getEntryCount());
    submissions.settle(second, Outcome.OUTCOME_FAILED);
    refused(request(entry("a")).setAttempt(second))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_ALREADY_SETTLED);
    refused(request(entry("a")).setAttempt(SubmissionCaller.attempt("nobody-knows-it", "a")))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
  }

  @Test
  void while_a_submission_runs_others_append_branches_only() {
    calls.append(session, entry("a"), entry("b"));
    AttemptRef attempt = running();
    refused(request(entry("c")))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_SESSION_BUSY,
            "session_key",
            session,
            "active_submission_id",
            attempt.getSubmissionId());
    assertTrue(calls.append(session, below("a", "x")).getApplied());
    assertEquals("b", calls.session(session).getLeafId());
    submissions.settle(attempt, Outcome.OUTCOME_FAILED);
    assertEquals("c", calls.append(session, entry("c")).getLeafId());
  }

  @Test
  void queued_submission_keeps_nobody_from_appending() {
    submissions.admit(session, fresh("sub"));
    assertEquals("a", calls.append(session, entry("a")).getLeafId());
  }

  @Test
  void session_that_is_being_deleted_is_shut() {
    calls.append(session, entry("a"));
    rows.execute("UPDATE sessions SET deleting_since = now() WHERE session_key = ?", session);
    refused(request(entry("b")))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_DELETING);
  }

  /**
   * B068, B070: what is too large is refused with its size and the limit, and nothing is stored.
   */
  @Test
  void too_many_or_too_large_entries_are_refused_by_size_and_limit() {
    refused(request())
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "entries");
    AppendEntriesRequest.Builder many = request();
    for (int i = 0; i < 1_001; i++) {
      many.addEntries(entry("e" + i));
    }
    refused(many)
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_TOO_LARGE,
            "field",
            "entries",
            "size",
            "1001",
            "limit",
            "1000");
    String elevenMebibytes = "x".repeat(11 << 20);
    refused(
            request(
                SubmissionCaller.entry("a", elevenMebibytes),
                SubmissionCaller.entry("b", elevenMebibytes)))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_TOO_LARGE,
            "field",
            "entries",
            "size",
            Integer.toString(22 << 20),
            "limit",
            Integer.toString(20 << 20));
    Refused.from(() -> calls.session(session))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_NOT_FOUND);
  }

  @Test
  void of_many_appends_on_one_leaf_one_wins() throws Exception {
    calls.append(session, entry("a"));
    ExecutorService clients = Executors.newFixedThreadPool(16);
    try {
      List<Callable<Boolean>> appends = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        AppendEntriesRequest next = request(entry("b" + i)).setExpectedLeafId("a").build();
        appends.add(() -> wins(next));
      }
      int winners = 0;
      for (Future<Boolean> append : clients.invokeAll(appends)) {
        winners += append.get() ? 1 : 0;
      }
      assertEquals(1, winners);
    } finally {
      clients.shutdownNow();
    }
    assertEquals(2, calls.session(session).getEntryCount());
  }

  private boolean wins(AppendEntriesRequest request) {
    try {
      return calls.stub().appendEntries(request).getApplied();
    } catch (StatusRuntimeException e) {
      assertEquals(ErrorReason.ERROR_REASON_LEAF_MOVED, Refused.of(e).reason());
      return false;
    }
  }
}

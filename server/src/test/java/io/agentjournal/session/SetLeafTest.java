package io.agentjournal.session;

import static io.agentjournal.session.SessionCaller.entry;
import static io.agentjournal.session.SessionCaller.fresh;
import static io.agentjournal.session.SessionCaller.pathOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.submission.SubmissionCaller;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.SetLeafRequest;
import io.grpc.Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class SetLeafTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SessionCaller calls = SessionCaller.on(JOURNAL.channel());
  private final SubmissionCaller submissions = SubmissionCaller.on(JOURNAL.channel());
  private final String session = fresh("session");

  /** B106: after a rewind the tree is as valid as before, and nothing of it is deleted. */
  @Test
  void rewinds_and_the_next_entry_begins_a_branch() {
    calls.append(session, entry("a"), entry("b"), entry("c"));
    assertTrue(calls.setLeaf(session, "a"));
    calls.append(session, entry("x"));
    assertEquals(List.of("a", "x"), calls.pathIds(pathOf(session).build()));
    assertEquals(List.of("a", "b", "c"), calls.pathIds(pathOf(session).setLeafId("c").build()));
    assertTrue(calls.setLeaf(session, "c"));
    assertEquals(List.of("a", "b", "c"), calls.pathIds(pathOf(session).build()));
  }

  @Test
  void before_the_first_entry_the_next_one_is_a_root() {
    calls.append(session, entry("a"));
    assertTrue(calls.setLeaf(session, ""));
    assertEquals("", calls.session(session).getLeafId());
    assertEquals(List.of(), calls.pathIds(pathOf(session).build()));
    assertEquals("r", calls.append(session, entry("r")).getLeafId());
    assertEquals(List.of("r"), calls.pathIds(pathOf(session).build()));
  }

  @Test
  void same_again_is_applied_false() {
    calls.append(session, entry("a"), entry("b"));
    calls.setLeaf(session, "a");
    assertFalse(calls.setLeaf(session, "a"));
  }

  @Test
  void moved_leaf_and_missing_entry_are_refused() {
    calls.append(session, entry("a"), entry("b"));
    Refused.from(
            () ->
                calls
                    .stub()
                    .setLeaf(
                        SetLeafRequest.newBuilder()
                            .setSessionKey(session)
                            .setLeafId("a")
                            .setExpectedLeafId("a")
                            .build()))
        .mustBe(Status.Code.ABORTED, ErrorReason.ERROR_REASON_LEAF_MOVED, "leaf_id", "b");
    Refused.from(() -> calls.setLeaf(session, "missing"))
        .mustBe(
            Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_ENTRY_NOT_FOUND, "entry_id", "missing");
    Refused.from(() -> calls.setLeaf(fresh("session"), "a"))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_NOT_FOUND);
    assertEquals("b", calls.session(session).getLeafId());
  }

  /** B111: nobody forks under a running submission; its attempt may. */
  @Test
  void while_a_submission_runs_only_its_attempt_moves_the_leaf() {
    calls.append(session, entry("a"), entry("b"));
    String id = fresh("sub");
    submissions.admit(session, id);
    AttemptRef attempt = submissions.claimed(id);
    Refused.from(() -> calls.setLeaf(session, "a"))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_SESSION_BUSY,
            "active_submission_id",
            id);
    SetLeafRequest.Builder request =
        SetLeafRequest.newBuilder().setSessionKey(session).setLeafId("a");
    Refused.from(
            () ->
                calls
                    .stub()
                    .setLeaf(
                        request.setAttempt(SubmissionCaller.attempt(id, fresh("attempt"))).build()))
        .mustBe(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_STALE_ATTEMPT);
    assertTrue(calls.stub().setLeaf(request.setAttempt(attempt).build()).getApplied());
    assertEquals("a", calls.session(session).getLeafId());
  }
}

package io.agentjournal.session;

import static io.agentjournal.session.SessionCaller.entry;
import static io.agentjournal.session.SessionCaller.fresh;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.submission.Rows;
import io.agentjournal.submission.SubmissionCaller;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.DeleteSessionRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.GetReceiptRequest;
import io.agentjournal.v1.ListPendingSessionDeletionsRequest;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Page;
import io.agentjournal.v1.PendingSessionDeletion;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.SubmissionKind;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.grpc.Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class DeleteSessionTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static final List<String> TABLES_OF_SUBMISSIONS =
      List.of(
          "submissions",
          "attempts",
          "turn_journals",
          "turns",
          "tool_calls",
          "submission_waits",
          "submission_events");

  private final SessionCaller calls = SessionCaller.on(JOURNAL.channel());
  private final SubmissionCaller submissions = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);
  private final String session = fresh("session");

  private boolean delete(String sessionKey) {
    return calls
        .stub()
        .deleteSession(DeleteSessionRequest.newBuilder().setSessionKey(sessionKey).build())
        .getApplied();
  }

  /** Two turns with a stream each: the older one is not in the slot any more. */
  private AttemptRef ran(SubmissionKind kind) {
    String id = fresh("sub");
    submissions
        .stub()
        .admitSubmission(SubmissionCaller.admission(session, id).setKind(kind).build());
    AttemptRef attempt = submissions.claimed(id);
    for (String turn : List.of("t1", "t2")) {
      String stream =
          TurnJournalServiceGrpc.newBlockingStub(JOURNAL.channel())
              .beginTurnJournal(
                  BeginTurnJournalRequest.newBuilder()
                      .setAttempt(attempt)
                      .setTurnId(turn)
                      .setStart(ProviderStart.getDefaultInstance())
                      .build())
              .getJournal()
              .getStreamKey();
      SegmentServiceGrpc.newBlockingStub(JOURNAL.channel())
          .putSegments(
              PutSegmentsRequest.newBuilder()
                  .setOpen(StreamOpen.newBuilder().setStreamKey(stream).setAttempt(attempt))
                  .setFirstIndex(0)
                  .addSegments(Segment.newBuilder().setText("token"))
                  .build());
    }
    submissions.settle(attempt, Outcome.OUTCOME_FAILED);
    return attempt;
  }

  private void requireNothingLeft(AttemptRef attempt) {
    for (String table : TABLES_OF_SUBMISSIONS) {
      assertEquals(
          0,
          rows.count(
              "SELECT count(*) FROM " + table + " WHERE submission_id = ?",
              attempt.getSubmissionId()),
          table);
    }
    assertEquals(
        0,
        rows.count(
            "SELECT count(*) FROM streams WHERE submission_id = ? AND state <> 'DELETED'",
            attempt.getSubmissionId()));
    assertEquals(
        0,
        rows.count(
            """
            SELECT count(*) FROM extents WHERE stream_id IN (SELECT stream_id FROM streams WHERE submission_id = ?)
            """,
            attempt.getSubmissionId()),
        "also those of earlier turns");
    assertEquals(0, rows.count("SELECT count(*) FROM entries WHERE session_key = ?", session));
    assertEquals(0, rows.count("SELECT count(*) FROM sessions WHERE session_key = ?", session));
  }

  @Test
  void everything_goes_but_receipts_of_dispatched_submissions() {
    AttemptRef dispatched = ran(SubmissionKind.SUBMISSION_KIND_DISPATCH);
    AttemptRef direct = ran(SubmissionKind.SUBMISSION_KIND_DIRECT);
    calls.chain(session, 1_500);
    assertTrue(delete(session));
    requireNothingLeft(dispatched);
    requireNothingLeft(direct);
    assertEquals(
        Outcome.OUTCOME_FAILED,
        submissions
            .stub()
            .getReceipt(
                GetReceiptRequest.newBuilder()
                    .setSubmissionId(dispatched.getSubmissionId())
                    .build())
            .getReceipt()
            .getOutcome());
    Refused.from(
            () ->
                submissions
                    .stub()
                    .getReceipt(
                        GetReceiptRequest.newBuilder()
                            .setSubmissionId(direct.getSubmissionId())
                            .build()))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RECEIPT_NOT_FOUND);
    Refused.from(() -> calls.session(session))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_NOT_FOUND);
    assertFalse(
        submissions.admit(session, dispatched.getSubmissionId()).getApplied(),
        "its receipt still knows it");
  }

  @Test
  void anything_unsettled_refuses_it_and_nothing_is_marked() {
    String id = fresh("sub");
    submissions.admit(session, id);
    calls.append(session, entry("a"));
    Refused.from(() -> delete(session))
        .mustBe(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_SESSION_BUSY,
            "session_key",
            session,
            "active_submission_id",
            id);
    assertFalse(calls.session(session).hasDeletingSince());
    assertEquals(1, calls.session(session).getEntryCount());
  }

  @Test
  void unknown_session_is_not_found() {
    Refused.from(() -> delete(session))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SESSION_NOT_FOUND);
  }

  /** As if the server had been killed right after each of the first steps. */
  @Test
  void deletion_that_was_cut_short_is_listed_and_the_next_call_finishes_it() {
    AttemptRef attempt = ran(SubmissionKind.SUBMISSION_KIND_DISPATCH);
    calls.chain(session, 3);
    rows.execute("UPDATE sessions SET deleting_since = now() WHERE session_key = ?", session);
    rows.execute("DELETE FROM turns WHERE submission_id = ?", attempt.getSubmissionId());
    assertTrue(pending().contains(session));
    assertFalse(delete(session), "it was marked before");
    requireNothingLeft(attempt);
    assertFalse(pending().contains(session));
  }

  @Test
  void session_under_the_key_may_begin_anew() {
    calls.chain(session, 3);
    delete(session);
    assertEquals("e0", calls.append(session, entry("e0")).getLeafId());
    assertEquals(1, calls.session(session).getEntryCount());
  }

  private List<String> pending() {
    return calls
        .stub()
        .listPendingSessionDeletions(
            ListPendingSessionDeletionsRequest.newBuilder()
                .setPage(Page.newBuilder().setSize(1_000))
                .build())
        .getDeletionsList()
        .stream()
        .map(PendingSessionDeletion::getSessionKey)
        .toList();
  }
}

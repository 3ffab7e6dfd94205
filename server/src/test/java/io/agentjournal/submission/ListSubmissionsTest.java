package io.agentjournal.submission;

import static io.agentjournal.submission.SubmissionCaller.admission;
import static io.agentjournal.submission.SubmissionCaller.attempt;
import static io.agentjournal.submission.SubmissionCaller.fresh;
import static io.agentjournal.submission.SubmissionCaller.seconds;
import static io.agentjournal.submission.SubmissionCaller.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.BeginTurnJournalRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ListSubmissionsRequest;
import io.agentjournal.v1.ListSubmissionsResponse;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Page;
import io.agentjournal.v1.ProviderStart;
import io.agentjournal.v1.PutSegmentsRequest;
import io.agentjournal.v1.Segment;
import io.agentjournal.v1.SegmentServiceGrpc;
import io.agentjournal.v1.StreamOpen;
import io.agentjournal.v1.Submission;
import io.agentjournal.v1.SubmissionFilter;
import io.agentjournal.v1.TurnJournalServiceGrpc;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class ListSubmissionsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);
  private final String queue = fresh("queue");

  /** In this test's queue, in a session of its own. */
  private String admitted() {
    String id = fresh("sub");
    calls.stub().admitSubmission(admission(fresh("session"), id).setQueue(queue).build());
    return id;
  }

  private List<String> ids(SubmissionFilter filter) {
    return ids(ListSubmissionsRequest.newBuilder().setFilter(filter).setQueue(queue));
  }

  private List<String> ids(ListSubmissionsRequest.Builder request) {
    return calls.stub().listSubmissions(request.build()).getSubmissionsList().stream()
        .map(Submission::getSubmissionId)
        .sorted()
        .toList();
  }

  private static List<String> sorted(String... ids) {
    return java.util.stream.Stream.of(ids).sorted().toList();
  }

  @Test
  void filters_tell_what_runs_what_may_run_and_what_is_unsettled() {
    String queued = admitted();
    String delayed = fresh("sub");
    calls
        .stub()
        .admitSubmission(
            admission(fresh("session"), delayed).setQueue(queue).setDelay(seconds(60)).build());
    AttemptRef running = calls.claimed(admitted());
    AttemptRef expired = calls.claimed(admitted());
    rows.endLease(expired.getSubmissionId());
    AttemptRef settled = calls.claimed(admitted());
    calls.settle(settled, Outcome.OUTCOME_FAILED);
    String behind = fresh("sub");
    calls
        .stub()
        .admitSubmission(
            admission(calls.submission(queued).getSessionKey(), behind).setQueue(queue).build());

    assertEquals(
        sorted(
            queued,
            delayed,
            behind,
            running.getSubmissionId(),
            expired.getSubmissionId(),
            settled.getSubmissionId()),
        ids(SubmissionFilter.SUBMISSION_FILTER_UNSPECIFIED));
    assertEquals(
        sorted(queued, delayed, behind, running.getSubmissionId(), expired.getSubmissionId()),
        ids(SubmissionFilter.SUBMISSION_FILTER_UNSETTLED));
    assertEquals(
        sorted(running.getSubmissionId(), expired.getSubmissionId()),
        ids(SubmissionFilter.SUBMISSION_FILTER_RUNNING));
    assertEquals(
        sorted(expired.getSubmissionId()), ids(SubmissionFilter.SUBMISSION_FILTER_EXPIRED));
    assertEquals(
        sorted(queued, expired.getSubmissionId()),
        ids(SubmissionFilter.SUBMISSION_FILTER_RUNNABLE));
  }

  @Test
  void of_an_owner_those_that_run_under_its_name() {
    String owner = fresh("pod");
    String id = admitted();
    calls.claim(attempt(id, fresh("attempt")), owner, seconds(30));
    calls.claimed();
    assertEquals(List.of(id), ids(ListSubmissionsRequest.newBuilder().setOwner(owner)));
    assertEquals(
        List.of(), ids(ListSubmissionsRequest.newBuilder().setOwner(owner).setQueue("elsewhere")));
  }

  @Test
  void of_a_session_in_the_order_of_admission_page_by_page() {
    String session = fresh("session");
    List<String> admitted = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      String id = fresh("sub");
      admitted.add(id);
      calls.admit(session, id);
    }
    List<String> listed = new ArrayList<>();
    String token = "";
    int pages = 0;
    do {
      ListSubmissionsResponse page =
          calls
              .stub()
              .listSubmissions(
                  ListSubmissionsRequest.newBuilder()
                      .setSessionKey(session)
                      .setPage(Page.newBuilder().setSize(10).setToken(token))
                      .build());
      page.getSubmissionsList().forEach(row -> listed.add(row.getSubmissionId()));
      token = page.getNextPageToken();
      pages++;
    } while (!token.isEmpty());
    assertEquals(admitted, listed);
    assertEquals(3, pages);
  }

  /** B072: answers stay below 4 MiB, whatever the rows carry. */
  @Test
  void page_of_large_inputs_is_cut_by_its_size() {
    String session = fresh("session");
    for (int i = 0; i < 8; i++) {
      calls
          .stub()
          .admitSubmission(
              admission(session, fresh("sub")).setInput(text("x".repeat(1 << 20))).build());
    }
    int listed = 0;
    String token = "";
    do {
      ListSubmissionsResponse page =
          calls
              .stub()
              .listSubmissions(
                  ListSubmissionsRequest.newBuilder()
                      .setSessionKey(session)
                      .setPage(Page.newBuilder().setToken(token))
                      .build());
      assertTrue(page.getSerializedSize() < 4 << 20, "page of " + page.getSerializedSize());
      assertTrue(page.getSubmissionsCount() > 0);
      listed += page.getSubmissionsCount();
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertEquals(8, listed);
  }

  @Test
  void stuck_is_what_runs_and_does_not_move() {
    AttemptRef stuck = calls.claimed(admitted());
    AttemptRef streaming = calls.claimed(admitted());
    String stream =
        TurnJournalServiceGrpc.newBlockingStub(JOURNAL.channel())
            .beginTurnJournal(
                BeginTurnJournalRequest.newBuilder()
                    .setAttempt(streaming)
                    .setTurnId("t1")
                    .setStart(ProviderStart.getDefaultInstance())
                    .build())
            .getJournal()
            .getStreamKey();
    assertEquals(List.of(), ids(SubmissionFilter.SUBMISSION_FILTER_STUCK));
    for (AttemptRef attempt : List.of(stuck, streaming)) {
      rows.letTimePass(attempt.getSubmissionId(), Duration.ofMinutes(6));
      rows.execute(
          "UPDATE attempts SET started_at = started_at - interval '6 min' WHERE submission_id = ?",
          attempt.getSubmissionId());
      rows.execute(
          """
          UPDATE submissions SET input_applied_at = input_applied_at - interval '6 min' WHERE submission_id = ?
          """,
          attempt.getSubmissionId());
      rows.execute(
          "UPDATE turn_journals SET updated_at = updated_at - interval '6 min' WHERE submission_id = ?",
          attempt.getSubmissionId());
    }
    assertEquals(
        sorted(stuck.getSubmissionId(), streaming.getSubmissionId()),
        ids(SubmissionFilter.SUBMISSION_FILTER_STUCK));
    SegmentServiceGrpc.newBlockingStub(JOURNAL.channel())
        .putSegments(
            PutSegmentsRequest.newBuilder()
                .setOpen(StreamOpen.newBuilder().setStreamKey(stream).setAttempt(streaming))
                .setFirstIndex(0)
                .addSegments(Segment.newBuilder().setText("token"))
                .build());
    assertEquals(List.of(stuck.getSubmissionId()), ids(SubmissionFilter.SUBMISSION_FILTER_STUCK));
    assertEquals(
        List.of(),
        ids(
            ListSubmissionsRequest.newBuilder()
                .setFilter(SubmissionFilter.SUBMISSION_FILTER_STUCK)
                .setQueue(queue)
                .setStillFor(seconds(3_600))));
  }

  /** B061 */
  @Test
  void filter_that_is_no_key_is_refused() {
    ListSubmissionsRequest request = ListSubmissionsRequest.newBuilder().setOwner("a\0").build();
    Refused.from(() -> calls.stub().listSubmissions(request))
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "owner");
  }

  @Test
  void token_of_another_list_is_refused() {
    admitted();
    admitted();
    ListSubmissionsRequest.Builder request =
        ListSubmissionsRequest.newBuilder().setQueue(queue).setPage(Page.newBuilder().setSize(1));
    String token = calls.stub().listSubmissions(request.build()).getNextPageToken();
    assertFalse(token.isEmpty());
    request.setQueue("another").setPage(Page.newBuilder().setToken(token));
    Refused.from(() -> calls.stub().listSubmissions(request.build()))
        .mustBe(
            Status.Code.INVALID_ARGUMENT,
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            "field",
            "page.token");
  }
}

package io.agentjournal.submission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.AttemptEnd;
import io.agentjournal.v1.AttemptMarker;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ListAttemptMarkersRequest;
import io.agentjournal.v1.ListAttemptMarkersResponse;
import io.agentjournal.v1.Outcome;
import io.agentjournal.v1.Page;
import io.grpc.Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class ListAttemptMarkersTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SubmissionCaller calls = SubmissionCaller.on(JOURNAL.channel());
  private final Rows rows = new Rows(JOURNAL);

  private ListAttemptMarkersResponse list(String submissionId, Page page) {
    return calls
        .stub()
        .listAttemptMarkers(
            ListAttemptMarkersRequest.newBuilder()
                .setSubmissionId(submissionId)
                .setPage(page)
                .build());
  }

  @Test
  void one_for_each_attempt_oldest_first_with_how_it_ended() {
    AttemptRef first = calls.claimed();
    String id = first.getSubmissionId();
    rows.endLease(id);
    AttemptRef second = calls.claimed(id);
    List<AttemptMarker> markers = list(id, Page.getDefaultInstance()).getMarkersList();
    assertEquals(2, markers.size());
    assertEquals(first.getAttemptId(), markers.get(0).getAttemptId());
    assertEquals(SubmissionCaller.OWNER, markers.get(0).getOwner());
    assertEquals(AttemptEnd.ATTEMPT_END_EXPIRED, markers.get(0).getEnd());
    assertEquals(second.getAttemptId(), markers.get(0).getNextAttemptId());
    assertTrue(markers.get(0).hasEndedAt());
    assertFalse(markers.get(1).hasEndedAt());
    assertEquals(AttemptEnd.ATTEMPT_END_UNSPECIFIED, markers.get(1).getEnd());
    calls.settle(second, Outcome.OUTCOME_COMPLETED);
    assertEquals(
        AttemptEnd.ATTEMPT_END_SETTLED, list(id, Page.getDefaultInstance()).getMarkers(1).getEnd());
  }

  @Test
  void page_by_page() {
    String id = calls.claimed().getSubmissionId();
    for (int i = 0; i < 4; i++) {
      rows.endLease(id);
      calls.claimed(id);
    }
    Page.Builder page = Page.newBuilder().setSize(2);
    int listed = 0;
    do {
      ListAttemptMarkersResponse response = list(id, page.build());
      listed += response.getMarkersCount();
      page.setToken(response.getNextPageToken());
    } while (!page.getToken().isEmpty());
    assertEquals(5, listed);
  }

  @Test
  void unclaimed_submission_has_none_and_an_unknown_one_is_not_found() {
    assertEquals(0, list(calls.admitted(), Page.getDefaultInstance()).getMarkersCount());
    Refused.from(() -> list("nobody-knows-it", Page.getDefaultInstance()))
        .mustBe(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_SUBMISSION_NOT_FOUND);
  }

  /** The tests' channel takes answers of less than 4 MiB, as a stock client. */
  @Test
  void long_reasons_fill_a_page_earlier_and_all_are_told() {
    String id = calls.admitted();
    rows.execute(
        """
        INSERT INTO attempts (namespace, submission_id, attempt_id, attempt_number, owner, reason)
        SELECT 'default', ?, 'attempt-' || i, i, 'owner', repeat('r', 16384) FROM generate_series(1, 300) AS i
        """,
        id);
    int told = 0;
    int pages = 0;
    String token = "";
    do {
      ListAttemptMarkersResponse page =
          calls
              .stub()
              .listAttemptMarkers(
                  ListAttemptMarkersRequest.newBuilder()
                      .setSubmissionId(id)
                      .setPage(Page.newBuilder().setSize(1_000).setToken(token))
                      .build());
      told += page.getMarkersCount();
      token = page.getNextPageToken();
      pages++;
    } while (!token.isEmpty());
    assertEquals(300, told);
    assertEquals(2, pages);
  }
}

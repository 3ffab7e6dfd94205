package io.agentjournal.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.testing.Trial;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ListRecoverableRequest;
import io.agentjournal.v1.ListRecoverableResponse;
import io.agentjournal.v1.Page;
import io.agentjournal.v1.Recoverable;
import io.agentjournal.v1.RecoveryAction;
import io.agentjournal.v1.RecoveryServiceGrpc;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class ListRecoverableTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private static String newQueue() {
    return "queue-" + UUID.randomUUID();
  }

  private static ListRecoverableResponse list(List<String> queues, Page page) {
    return RecoveryServiceGrpc.newBlockingStub(JOURNAL.channel())
        .listRecoverable(
            ListRecoverableRequest.newBuilder().addAllQueues(queues).setPage(page).build());
  }

  private static List<String> ids(ListRecoverableResponse answer) {
    return answer.getRecoverableList().stream()
        .map(each -> each.getSubmission().getSubmissionId())
        .toList();
  }

  private static void expire(Trial trial, int secondsAgo) {
    trial.stored.update(
        "UPDATE submissions SET lease_expires_at = now() - interval '"
            + secondsAgo
            + " seconds' WHERE submission_id = ?");
  }

  @Test
  void longest_overdue_comes_first_with_its_plan() {
    String queue = newQueue();
    Trial young = Trial.expired(JOURNAL, queue);
    Trial old = Trial.expired(JOURNAL, queue);
    expire(young, 5);
    expire(old, 50);
    ListRecoverableResponse answer = list(List.of(queue), Page.getDefaultInstance());
    assertEquals(List.of(old.id, young.id), ids(answer));
    Recoverable first = answer.getRecoverable(0);
    assertEquals(RecoveryAction.RECOVERY_ACTION_APPLY_INPUT, first.getPlan().getAction());
    assertEquals("a", first.getSubmission().getAttemptId());
  }

  @Test
  void living_leases_queued_and_settled_submissions_are_not_in_it() {
    String queue = newQueue();
    Trial.queued(JOURNAL, queue);
    Trial living = Trial.queued(JOURNAL, queue);
    living.claim("a");
    Trial settled = Trial.queued(JOURNAL, queue);
    settled.claim("a");
    settled.settle("a", Trial.failed());
    assertEquals(List.of(), ids(list(List.of(queue), Page.getDefaultInstance())));
  }

  @Test
  void due_recovery_request_is_in_it_and_a_delayed_one_is_not() {
    String queue = newQueue();
    Trial due = Trial.queued(JOURNAL, queue);
    due.claim("a");
    Trial delayed = Trial.expired(JOURNAL, queue);
    String request =
        """
        UPDATE submissions
           SET recovery_requested_at = now(), recovery_not_before = now() + interval '%d seconds',
               recovery_reason = '', recovery_is_counted = false
         WHERE submission_id = ?
        """;
    due.stored.update(request.formatted(0));
    delayed.stored.update(request.formatted(3600));
    assertEquals(List.of(due.id), ids(list(List.of(queue), Page.getDefaultInstance())));
  }

  @Test
  void several_queues_are_listed_together_and_no_queue_means_all() {
    String one = newQueue();
    String other = newQueue();
    Trial first = Trial.expired(JOURNAL, one);
    Trial second = Trial.expired(JOURNAL, other);
    expire(first, 20);
    expire(second, 10);
    Trial.expired(JOURNAL, newQueue());
    assertEquals(
        List.of(first.id, second.id), ids(list(List.of(one, other), Page.getDefaultInstance())));
    List<String> all = new ArrayList<>();
    Page page = Page.newBuilder().setSize(1000).build();
    ListRecoverableResponse answer = list(List.of(), page);
    all.addAll(ids(answer));
    while (!answer.getNextPageToken().isEmpty()) {
      answer = list(List.of(), page.toBuilder().setToken(answer.getNextPageToken()).build());
      all.addAll(ids(answer));
    }
    assertEquals(
        List.of(first.id, second.id),
        all.stream().filter(id -> id.equals(first.id) || id.equals(second.id)).toList());
  }

  @Test
  void pages_join_without_gap_or_repeat() {
    String queue = newQueue();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Trial trial = Trial.expired(JOURNAL, queue);
      expire(trial, 100 - i);
      expected.add(trial.id);
    }
    List<String> read = new ArrayList<>();
    Page page = Page.newBuilder().setSize(2).build();
    ListRecoverableResponse answer = list(List.of(queue), page);
    read.addAll(ids(answer));
    while (!answer.getNextPageToken().isEmpty()) {
      answer = list(List.of(queue), page.toBuilder().setToken(answer.getNextPageToken()).build());
      read.addAll(ids(answer));
    }
    assertEquals(expected, read);
  }

  @Test
  void token_of_another_list_is_invalid() {
    String queue = newQueue();
    Trial.expired(JOURNAL, queue);
    Trial.expired(JOURNAL, queue);
    String token = list(List.of(queue), Page.newBuilder().setSize(1).build()).getNextPageToken();
    Refused.from(() -> list(List.of(newQueue()), Page.newBuilder().setToken(token).build()))
        .mustBe(
            Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", "page.token");
  }
}

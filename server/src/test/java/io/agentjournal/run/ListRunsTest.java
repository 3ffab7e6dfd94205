package io.agentjournal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.CloseRunRequest;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ListInterruptedRunsRequest;
import io.agentjournal.v1.ListRunsRequest;
import io.agentjournal.v1.ListRunsResponse;
import io.agentjournal.v1.OpenRunRequest;
import io.agentjournal.v1.Page;
import io.agentjournal.v1.Run;
import io.agentjournal.v1.RunJournalServiceGrpc.RunJournalServiceBlockingStub;
import io.agentjournal.v1.RunStatus;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;

final class ListRunsTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final RunJournalServiceBlockingStub journal = JournalledRun.inNamespaceOfItsOwn(SERVER);

  @Test
  void opened_runs_are_listed_oldest_first_whatever_became_of_them() {
    List<String> opened = open(3);
    new JournalledRun(journal).append(JournalledRun.decision(0, "{}"));
    closeSecond(opened);

    assertEquals(opened, ids(list(RunStatus.RUN_STATUS_UNSPECIFIED, 10, "")));
  }

  @Test
  void status_selects() {
    List<String> opened = open(3);
    closeSecond(opened);

    assertEquals(List.of(opened.get(1)), ids(list(RunStatus.RUN_STATUS_CANCELLED, 10, "")));
    assertEquals(
        List.of(opened.get(0), opened.get(2)), ids(list(RunStatus.RUN_STATUS_RUNNING, 10, "")));
    assertEquals(List.of(), ids(list(RunStatus.RUN_STATUS_FAILED, 10, "")));
  }

  @Test
  void pages_follow_each_other_without_gap_or_repeat() {
    List<String> opened = open(7);
    List<String> listed = new ArrayList<>();
    String token = "";
    do {
      ListRunsResponse page = list(RunStatus.RUN_STATUS_UNSPECIFIED, 3, token);
      assertTrue(page.getRunsCount() <= 3);
      listed.addAll(ids(page));
      token = page.getNextPageToken();
    } while (!token.isEmpty());

    assertEquals(opened, listed);
  }

  @Test
  void large_metadata_fill_a_page_earlier_and_all_runs_are_told() {
    String metadata = "\"" + "x".repeat((1 << 20) - 2) + "\"";
    allAreTold(5, OpenRunRequest.newBuilder().setMetadataJson(metadata));
  }

  @Test
  void long_tasks_fill_a_page_earlier_too() {
    allAreTold(300, OpenRunRequest.newBuilder().setTask("x".repeat(16 << 10)));
  }

  private void allAreTold(int count, OpenRunRequest.Builder opening) {
    List<String> opened = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      JournalledRun each = new JournalledRun(journal);
      journal.openRun(opening.setRunId(each.id).build());
      opened.add(each.id);
    }
    List<String> listed = new ArrayList<>();
    String token = "";
    do {
      ListRunsResponse page = list(RunStatus.RUN_STATUS_UNSPECIFIED, 1_000, token);
      assertTrue(page.getSerializedSize() < 4 << 20, "size " + page.getSerializedSize());
      listed.addAll(ids(page));
      token = page.getNextPageToken();
    } while (!token.isEmpty());

    assertEquals(opened, listed);
  }

  @Test
  void token_of_another_list_and_sizes_out_of_range_are_refused() {
    open(2);
    String token = list(RunStatus.RUN_STATUS_UNSPECIFIED, 1, "").getNextPageToken();
    assertFalse(token.isEmpty());

    refused("page.token", () -> list(RunStatus.RUN_STATUS_RUNNING, 1, token));
    refused("page.token", () -> list(RunStatus.RUN_STATUS_UNSPECIFIED, 1, "made-up"));
    refused(
        "page.token",
        () ->
            journal.listInterruptedRuns(
                ListInterruptedRunsRequest.newBuilder()
                    .setPage(Page.newBuilder().setToken(token))
                    .build()));
    refused("page.size", () -> list(RunStatus.RUN_STATUS_UNSPECIFIED, 0, ""));
    refused("page.size", () -> list(RunStatus.RUN_STATUS_UNSPECIFIED, 1_001, ""));
  }

  private static void refused(String field, Executable call) {
    Refused.from(call)
        .mustBe(
            Status.Code.INVALID_ARGUMENT, ErrorReason.ERROR_REASON_INVALID_FIELD, "field", field);
  }

  private List<String> open(int count) {
    List<String> opened = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      JournalledRun each = new JournalledRun(journal);
      each.open();
      opened.add(each.id);
    }
    return opened;
  }

  private void closeSecond(List<String> opened) {
    journal.closeRun(
        CloseRunRequest.newBuilder().setRunId(opened.get(1)).setOutcome("cancelled").build());
  }

  private ListRunsResponse list(RunStatus status, int size, String token) {
    return journal.listRuns(
        ListRunsRequest.newBuilder()
            .setStatus(status)
            .setPage(Page.newBuilder().setSize(size).setToken(token))
            .build());
  }

  private static List<String> ids(ListRunsResponse page) {
    return page.getRunsList().stream().map(Run::getRunId).toList();
  }
}

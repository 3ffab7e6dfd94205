package io.agentjournal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.agentjournal.testing.JournalExtension;
import io.agentjournal.v1.ListInterruptedRunsRequest;
import io.agentjournal.v1.ListInterruptedRunsResponse;
import io.agentjournal.v1.Page;
import io.agentjournal.v1.Run;
import io.agentjournal.v1.RunJournalServiceGrpc.RunJournalServiceBlockingStub;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class ListInterruptedRunsTest {
  @RegisterExtension static final JournalExtension SERVER = new JournalExtension();

  private final RunJournalServiceBlockingStub journal = JournalledRun.inNamespaceOfItsOwn(SERVER);

  @Test
  void running_without_a_live_lease_is_interrupted_oldest_first() {
    JournalledRun unclaimed = opened();
    JournalledRun closed = opened();
    closed.close("done");
    JournalledRun expired = new JournalledRun(journal);
    expired.openClaimed("claim-1", "gateway-1");
    expired.expireLease(SERVER);
    new JournalledRun(journal).openClaimed("claim-1", "gateway-1");
    new JournalledRun(journal).append(JournalledRun.decision(0, "{}"));
    JournalledRun reopened = closed;

    assertEquals(List.of(unclaimed.id, expired.id), ids(list(10, "")));
    reopened.open();
    assertEquals(List.of(unclaimed.id, reopened.id, expired.id), ids(list(10, "")));
    unclaimed.claim("claim-1", "gateway-1");
    assertEquals(List.of(reopened.id, expired.id), ids(list(10, "")));
  }

  @Test
  void pages_follow_each_other_without_gap_or_repeat() {
    List<String> opened = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      opened.add(opened().id);
    }
    List<String> listed = new ArrayList<>();
    String token = "";
    do {
      ListInterruptedRunsResponse page = list(2, token);
      listed.addAll(ids(page));
      token = page.getNextPageToken();
    } while (!token.isEmpty());

    assertEquals(opened, listed);
  }

  private JournalledRun opened() {
    JournalledRun opened = new JournalledRun(journal);
    opened.open();
    return opened;
  }

  private ListInterruptedRunsResponse list(int size, String token) {
    return journal.listInterruptedRuns(
        ListInterruptedRunsRequest.newBuilder()
            .setPage(Page.newBuilder().setSize(size).setToken(token))
            .build());
  }

  private static List<String> ids(ListInterruptedRunsResponse page) {
    return page.getRunsList().stream().map(Run::getRunId).toList();
  }
}

package io.agentjournal.session;

import static io.agentjournal.session.SessionCaller.entry;
import static io.agentjournal.session.SessionCaller.fresh;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.submission.SubmissionCaller;
import io.agentjournal.testing.JournalExtension;
import io.agentjournal.testing.Refused;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.ListSessionsRequest;
import io.agentjournal.v1.ListSessionsResponse;
import io.agentjournal.v1.Page;
import io.agentjournal.v1.Session;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** ListSessions and GetSession. */
final class ListSessionsTest {
  @RegisterExtension static final JournalExtension JOURNAL = new JournalExtension();

  private final SessionCaller calls = SessionCaller.on(JOURNAL.channel());

  private ListSessionsResponse list(String prefix, Page page) {
    return calls
        .stub()
        .listSessions(ListSessionsRequest.newBuilder().setKeyPrefix(prefix).setPage(page).build());
  }

  @Test
  void sessions_of_a_prefix_come_in_bytewise_order_page_by_page() {
    String prefix = fresh("list");
    List<String> keys =
        List.of(
            prefix,
            prefix + "-",
            prefix + "-A",
            prefix + "-a",
            prefix + "-\u00e4",
            prefix + "-\ud83d\ude00");
    keys.forEach(key -> calls.append(key, entry("a")));
    calls.append(prefix.substring(0, prefix.length() - 1) + "~", entry("a"));
    List<String> listed = new ArrayList<>();
    Page.Builder page = Page.newBuilder().setSize(2);
    do {
      ListSessionsResponse response = list(prefix, page.build());
      response.getSessionsList().forEach(session -> listed.add(session.getSessionKey()));
      page.setToken(response.getNextPageToken());
    } while (!page.getToken().isEmpty());
    assertEquals(keys, listed);
  }

  @Test
  void session_tells_its_leaf_its_size_and_what_runs() {
    String key = fresh("session");
    String id = fresh("sub");
    calls.append(key, entry("a"), entry("b"));
    SubmissionCaller.on(JOURNAL.channel()).admit(key, id);
    Session session = calls.session(key);
    assertEquals("b", session.getLeafId());
    assertEquals(2, session.getEntryCount());
    assertEquals(id, session.getActiveSubmissionId());
    assertTrue(session.hasCreatedAt());
    assertEquals(session, list(key, Page.getDefaultInstance()).getSessions(0));
  }

  @Test
  void unknown_session_is_not_found() {
    Refused.from(() -> calls.session("nobody-knows-it"))
        .mustBe(
            Status.Code.NOT_FOUND,
            ErrorReason.ERROR_REASON_SESSION_NOT_FOUND,
            "session_key",
            "nobody-knows-it");
  }
}

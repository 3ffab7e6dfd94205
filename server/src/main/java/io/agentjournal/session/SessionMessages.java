package io.agentjournal.session;

import io.agentjournal.rpc.PageRequest;
import io.agentjournal.rpc.Times;
import io.agentjournal.v1.ListPendingSessionDeletionsResponse;
import io.agentjournal.v1.ListSessionsResponse;
import io.agentjournal.v1.PendingSessionDeletion;
import java.time.Instant;
import java.util.List;

/** Sessions as messages. */
final class SessionMessages {
  private SessionMessages() {}

  static io.agentjournal.v1.Session from(Session session) {
    io.agentjournal.v1.Session.Builder message =
        io.agentjournal.v1.Session.newBuilder()
            .setSessionKey(session.key().key())
            .setEntryCount(session.entryCount())
            .setSizeBytes(session.sizeBytes())
            .setCreatedAt(Times.message(session.createdAt()))
            .setUpdatedAt(Times.message(session.updatedAt()));
    if (session.leafId() != null) {
      message.setLeafId(session.leafId());
    }
    if (session.activeSubmissionId() != null) {
      message.setActiveSubmissionId(session.activeSubmissionId());
    }
    if (session.deletingSince() != null) {
      message.setDeletingSince(Times.message(session.deletingSince()));
    }
    return message.build();
  }

  /**
   * A page.
   *
   * @param found one more than the page holds, if there is one more
   */
  static ListSessionsResponse page(PageRequest page, List<Session> found) {
    ListSessionsResponse.Builder response = ListSessionsResponse.newBuilder();
    shown(page, found).forEach(session -> response.addSessions(from(session)));
    return response.setNextPageToken(nextToken(page, found)).build();
  }

  /** As {@link #page}. */
  static ListPendingSessionDeletionsResponse deletions(PageRequest page, List<Session> found) {
    ListPendingSessionDeletionsResponse.Builder response =
        ListPendingSessionDeletionsResponse.newBuilder();
    for (Session session : shown(page, found)) {
      Instant since = session.deletingSince();
      if (since != null) {
        response.addDeletions(
            PendingSessionDeletion.newBuilder()
                .setSessionKey(session.key().key())
                .setDeletingSince(Times.message(since)));
      }
    }
    return response.setNextPageToken(nextToken(page, found)).build();
  }

  private static List<Session> shown(PageRequest page, List<Session> found) {
    return found.subList(0, Math.min(page.size(), found.size()));
  }

  private static String nextToken(PageRequest page, List<Session> found) {
    return found.size() > page.size()
        ? page.tokenAfter(found.get(page.size() - 1).key().key())
        : "";
  }
}

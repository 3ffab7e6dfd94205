package io.agentjournal.session;

import io.agentjournal.submission.SubmissionCaller;
import io.agentjournal.v1.AppendEntriesRequest;
import io.agentjournal.v1.AppendEntriesResponse;
import io.agentjournal.v1.Entry;
import io.agentjournal.v1.GetSessionRequest;
import io.agentjournal.v1.ListEntriesRequest;
import io.agentjournal.v1.ListEntriesResponse;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.ReadActivePathRequest;
import io.agentjournal.v1.ReadActivePathResponse;
import io.agentjournal.v1.Session;
import io.agentjournal.v1.SessionServiceGrpc;
import io.agentjournal.v1.SessionServiceGrpc.SessionServiceBlockingStub;
import io.agentjournal.v1.SetLeafRequest;
import io.grpc.Channel;
import java.util.ArrayList;
import java.util.List;

/** The calls of SessionService as tests make them most often. */
record SessionCaller(SessionServiceBlockingStub stub) {
  static SessionCaller on(Channel channel) {
    return new SessionCaller(SessionServiceGrpc.newBlockingStub(channel));
  }

  static String fresh(String kind) {
    return SubmissionCaller.fresh(kind);
  }

  static NewEntry entry(String id) {
    return SubmissionCaller.entry(id, "text of " + id);
  }

  static NewEntry below(String parentId, String id) {
    return entry(id).toBuilder().setParentId(parentId).build();
  }

  AppendEntriesResponse append(String sessionKey, NewEntry... entries) {
    return stub.appendEntries(
        AppendEntriesRequest.newBuilder()
            .setSessionKey(sessionKey)
            .addAllEntries(List.of(entries))
            .build());
  }

  /** The leaf of a session that has so many entries, e0 and so on, one below the other. */
  String chain(String sessionKey, int length) {
    String leaf = "";
    for (int start = 0; start < length; start += 1_000) {
      AppendEntriesRequest.Builder request =
          AppendEntriesRequest.newBuilder().setSessionKey(sessionKey);
      for (int i = start; i < Math.min(length, start + 1_000); i++) {
        request.addEntries(entry("e" + i));
      }
      leaf = stub.appendEntries(request.build()).getLeafId();
    }
    return leaf;
  }

  boolean setLeaf(String sessionKey, String leafId) {
    return stub.setLeaf(
            SetLeafRequest.newBuilder().setSessionKey(sessionKey).setLeafId(leafId).build())
        .getApplied();
  }

  Session session(String sessionKey) {
    return stub.getSession(GetSessionRequest.newBuilder().setSessionKey(sessionKey).build())
        .getSession();
  }

  List<ReadActivePathResponse> path(ReadActivePathRequest request) {
    List<ReadActivePathResponse> messages = new ArrayList<>();
    stub.readActivePath(request).forEachRemaining(messages::add);
    return messages;
  }

  List<String> pathIds(ReadActivePathRequest request) {
    return path(request).stream()
        .flatMap(message -> message.getEntriesList().stream())
        .map(Entry::getEntryId)
        .toList();
  }

  List<ListEntriesResponse> list(ListEntriesRequest request) {
    List<ListEntriesResponse> messages = new ArrayList<>();
    stub.listEntries(request).forEachRemaining(messages::add);
    return messages;
  }

  static ReadActivePathRequest.Builder pathOf(String sessionKey) {
    return ReadActivePathRequest.newBuilder().setSessionKey(sessionKey);
  }
}

package io.agentjournal.it.model;

import io.agentjournal.v1.Entry;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.Session;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A session: its tree, and the order of what is to run in it. */
final class ModelSession extends ModelState {
  final String key;
  String leafId = "";
  long admitted;
  boolean isDeleting;
  final Map<String, Entry> entries;
  final List<String> unsettled;

  ModelSession(String key) {
    this.key = key;
    this.entries = new LinkedHashMap<>();
    this.unsettled = new ArrayList<>();
  }

  ModelSession copy() {
    ModelSession copy = new ModelSession(key);
    copy.leafId = leafId;
    copy.admitted = admitted;
    copy.isDeleting = isDeleting;
    copy.entries.putAll(entries);
    copy.unsettled.addAll(unsettled);
    return copy;
  }

  @Override
  List<Object> facts() {
    return List.of(key, leafId, admitted, isDeleting, List.copyOf(entries.values()), unsettled);
  }

  /** Whose turn it is; null: nobody's. */
  @Nullable String head() {
    return unsettled.isEmpty() ? null : unsettled.get(0);
  }

  ModelSession requireNotDeleting() {
    if (isDeleting) {
      throw new Denied(ErrorReason.ERROR_REASON_SESSION_DELETING, "session_key", key);
    }
    return this;
  }

  Session told() {
    Session.Builder session =
        Session.newBuilder()
            .setSessionKey(key)
            .setLeafId(leafId)
            .setEntryCount(entries.size())
            .setSizeBytes(entries.values().stream().mapToLong(Entry::getPayloadSizeBytes).sum())
            .setCreatedAt(Told.TIME)
            .setUpdatedAt(Told.TIME);
    String head = head();
    return head == null ? session.build() : session.setActiveSubmissionId(head).build();
  }

  /** Root first. */
  List<Entry> path(String toId) {
    List<Entry> path = new ArrayList<>();
    for (Entry entry = entries.get(toId); entry != null; entry = entries.get(entry.getParentId())) {
      path.add(0, entry);
    }
    return path;
  }
}

package io.agentjournal.it.model;

import io.agentjournal.v1.AppendEntriesRequest;
import io.agentjournal.v1.AppendEntriesResponse;
import io.agentjournal.v1.AttemptRef;
import io.agentjournal.v1.Entry;
import io.agentjournal.v1.ErrorReason;
import io.agentjournal.v1.NewEntry;
import io.agentjournal.v1.SetLeafRequest;
import io.agentjournal.v1.SetLeafResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the contract says of the tree of a session. */
final class Transcript {
  private Transcript() {}

  /**
   * Entries to append.
   *
   * @param expectedLeafId null: not said
   */
  record Added(
      List<NewEntry> entries, @Nullable String expectedLeafId, String submissionId, String turnId) {
    static Added by(
        AttemptRef attempt, List<NewEntry> entries, @Nullable String expectedLeafId, String turn) {
      return new Added(entries, expectedLeafId, attempt.getSubmissionId(), turn);
    }
  }

  /** All are there with equal content; of none that is so. */
  static boolean hasAll(ModelSession session, Added added) {
    String previousId = null;
    for (NewEntry entry : added.entries()) {
      Entry stored = session.entries.get(entry.getEntryId());
      if (stored == null || !isSame(stored, entry, previousId, added.turnId())) {
        return false;
      }
      previousId = entry.getEntryId();
    }
    return true;
  }

  /** Something is there under one of the ids. */
  static boolean hasAny(ModelSession session, Added added) {
    return added.entries().stream()
        .anyMatch(entry -> session.entries.containsKey(entry.getEntryId()));
  }

  private static boolean isSame(
      Entry stored, NewEntry entry, @Nullable String previousId, String turnId) {
    String parent = entry.hasParentId() ? entry.getParentId() : previousId;
    return stored.getKind().equals(entry.getKind())
        && stored.getPayload().equals(entry.getPayload())
        && stored.getToolCallId().equals(entry.getToolCallId())
        && (entry.getToolCallId().isEmpty() || stored.getTurnId().equals(turnId))
        && (parent == null || parent.equals(stored.getParentId()));
  }

  /** True: they were not there. */
  static boolean append(ModelSession session, Added added) {
    List<NewEntry> entries = added.entries();
    if (!entries.isEmpty() && hasAll(session, added)) {
      return false;
    }
    if (hasAny(session, added)) {
      throw new Denied(ErrorReason.ERROR_REASON_ENTRY_CONFLICT);
    }
    requireLeaf(session, added.expectedLeafId());
    String leafBefore = session.leafId;
    String parentId = leafBefore;
    for (NewEntry entry : entries) {
      parentId = entry.hasParentId() ? entry.getParentId() : parentId;
      store(session, entry, parentId, added);
      parentId = entry.getEntryId();
    }
    if (!entries.isEmpty() && parentOf(session, entries.get(0)).equals(leafBefore)) {
      session.leafId = parentId;
    }
    return !entries.isEmpty();
  }

  private static String parentOf(ModelSession session, NewEntry entry) {
    Entry stored = session.entries.get(entry.getEntryId());
    return stored == null ? "" : stored.getParentId();
  }

  private static void store(ModelSession session, NewEntry entry, String parentId, Added added) {
    Entry parent = session.entries.get(parentId);
    if (parent == null && !parentId.isEmpty()) {
      throw new Denied(ErrorReason.ERROR_REASON_PARENT_NOT_FOUND, "parent_id", parentId);
    }
    session.entries.put(
        entry.getEntryId(),
        Entry.newBuilder()
            .setEntryId(entry.getEntryId())
            .setParentId(parentId)
            .setKind(entry.getKind())
            .setPayload(entry.getPayload())
            .setPayloadSizeBytes(entry.getPayload().getText().length())
            .setToolCallId(entry.getToolCallId())
            .setSubmissionId(added.submissionId())
            .setTurnId(added.turnId())
            .setDepth(parent == null ? 0 : parent.getDepth() + 1)
            .setCreatedAt(Told.TIME)
            .build());
  }

  private static void requireLeaf(ModelSession session, @Nullable String expectedLeafId) {
    if (expectedLeafId != null && !expectedLeafId.equals(session.leafId)) {
      throw new Denied(
          ErrorReason.ERROR_REASON_LEAF_MOVED,
          "expected_leaf_id",
          expectedLeafId,
          "leaf_id",
          session.leafId);
    }
  }

  /** A leaf that a caller names. */
  static void requireEntry(ModelSession session, String leafId) {
    if (!leafId.isEmpty() && !session.entries.containsKey(leafId)) {
      throw new Denied(ErrorReason.ERROR_REASON_ENTRY_NOT_FOUND, "entry_id", leafId);
    }
  }

  static Answer appendEntries(World world, AppendEntriesRequest request) {
    ModelSession session =
        world
            .sessions
            .computeIfAbsent(request.getSessionKey(), ModelSession::new)
            .requireNotDeleting();
    Added added =
        Added.by(
            request.getAttempt(),
            request.getEntriesList(),
            request.hasExpectedLeafId() ? request.getExpectedLeafId() : null,
            "");
    boolean isRepeat = hasAll(session, added);
    if (!isRepeat) {
      AttemptRef attempt = request.hasAttempt() ? request.getAttempt() : null;
      requireFence(world, session, attempt);
      String leafBefore = session.leafId;
      append(session, added);
      if (!session.leafId.equals(leafBefore)) {
        requireQuiet(world, session, attempt);
      }
    }
    return Told.of(
        AppendEntriesResponse.getDefaultInstance(),
        "applied",
        !isRepeat,
        "leaf_id",
        session.leafId);
  }

  static Answer setLeaf(World world, SetLeafRequest request) {
    ModelSession session = world.session(request.getSessionKey()).requireNotDeleting();
    boolean isRepeat = session.leafId.equals(request.getLeafId());
    if (!isRepeat) {
      AttemptRef attempt = request.hasAttempt() ? request.getAttempt() : null;
      requireFence(world, session, attempt);
      requireQuiet(world, session, attempt);
      requireLeaf(session, request.hasExpectedLeafId() ? request.getExpectedLeafId() : null);
      requireEntry(session, request.getLeafId());
      session.leafId = request.getLeafId();
    }
    return Told.of(SetLeafResponse.getDefaultInstance(), "applied", !isRepeat);
  }

  private static void requireFence(
      World world, ModelSession session, @Nullable AttemptRef attempt) {
    if (attempt == null) {
      return;
    }
    ModelSubmission submission = world.submission(attempt.getSubmissionId());
    submission.requireHeldBy(attempt.getAttemptId());
    if (!submission.told.getSessionKey().equals(session.key)) {
      throw new Denied(ErrorReason.ERROR_REASON_INVALID_FIELD);
    }
  }

  /** While a submission runs or waits only its attempt moves the leaf. */
  private static void requireQuiet(
      World world, ModelSession session, @Nullable AttemptRef attempt) {
    String head = attempt == null ? session.head() : null;
    ModelSubmission first = head == null ? null : world.submissions.get(head);
    if (first != null && (first.isRunning() || first.isWaiting())) {
      throw new Denied(
          ErrorReason.ERROR_REASON_SESSION_BUSY, "active_submission_id", String.valueOf(head));
    }
  }
}

package io.agentjournal.session;

import io.agentjournal.key.AttemptId;
import io.agentjournal.key.SessionKey;
import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.EntryNotFound;
import io.agentjournal.refusal.Refusal.InvalidField;
import io.agentjournal.refusal.Refusal.LeafMoved;
import io.agentjournal.refusal.Refusal.SessionBusy;
import io.agentjournal.submission.QueueRows;
import io.agentjournal.submission.Standing;
import io.agentjournal.submission.SubmissionRows;
import io.agentjournal.submission.SubmissionStatus;
import io.agentjournal.transcript.AppendedEntries;
import io.agentjournal.transcript.LockedSession;
import io.agentjournal.transcript.NewEntries;
import io.agentjournal.transcript.SessionRows;
import io.agentjournal.transcript.TranscriptStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Appends entries and moves leaves for callers of SessionService, inside a caller's transaction:
 *
 * <ol>
 *   <li>the session is locked; from then on none of its submissions begins or ceases to run;
 *   <li>what is stored already is a repeat;
 *   <li>an attempt passes the fence;
 *   <li>others leave the leaf alone while a submission runs or waits.
 * </ol>
 */
final class LeafStore {
  private final SessionRows sessions;
  private final SubmissionRows submissions;
  private final QueueRows queue;
  private final TranscriptStore transcript;

  LeafStore(
      SessionRows sessions,
      SubmissionRows submissions,
      QueueRows queue,
      TranscriptStore transcript) {
    this.sessions = sessions;
    this.submissions = submissions;
    this.queue = queue;
    this.transcript = transcript;
  }

  AppendedEntries append(
      Connection connection, SessionKey key, NewEntries entries, @Nullable AttemptId attempt)
      throws SQLException {
    LockedSession session = sessions.lockOrCreate(connection, key);
    if (transcript.hasAll(connection, key, entries)) {
      return new AppendedEntries(false, session, session.leafId());
    }
    requireFence(connection, key, attempt);
    AppendedEntries appended = transcript.append(connection, session, entries);
    if (appended.movedLeaf()) {
      requireQuiet(connection, key, attempt);
    }
    return appended;
  }

  /** Answers whether this moved it. */
  boolean setLeaf(
      Connection connection,
      SessionKey key,
      @Nullable String leafId,
      @Nullable String expectedLeafId,
      @Nullable AttemptId attempt)
      throws SQLException {
    LockedSession session = sessions.lock(connection, key);
    if (Objects.equals(leafId, session.leafId())) {
      return false;
    }
    requireFence(connection, key, attempt);
    requireQuiet(connection, key, attempt);
    String current = session.leafId() == null ? "" : session.leafId();
    if (expectedLeafId != null && !expectedLeafId.equals(current)) {
      throw new LeafMoved(key.key(), expectedLeafId, current);
    }
    if (leafId != null && !transcript.contains(connection, key, leafId)) {
      throw new EntryNotFound(leafId);
    }
    sessions.setLeaf(connection, session, leafId);
    return true;
  }

  private void requireFence(Connection connection, SessionKey key, @Nullable AttemptId attempt)
      throws SQLException {
    if (attempt == null) {
      return;
    }
    Standing submission = submissions.requireRunning(connection, attempt);
    if (!submission.session().equals(key)) {
      throw InvalidField.ofValue(
          "attempt.submission_id", attempt.submission().id(), "of another session");
    }
  }

  private void requireQuiet(Connection connection, SessionKey key, @Nullable AttemptId attempt)
      throws SQLException {
    String head = attempt == null ? queue.head(connection, key) : null;
    if (head != null) {
      SubmissionId id = new SubmissionId(key.namespace(), head);
      SubmissionStatus status = submissions.lockForShare(connection, id).status();
      if (status == SubmissionStatus.RUNNING || status == SubmissionStatus.WAITING) {
        throw new SessionBusy(key.key(), head);
      }
    }
  }
}

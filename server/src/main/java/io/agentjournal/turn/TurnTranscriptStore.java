package io.agentjournal.turn;

import io.agentjournal.key.SubmissionId;
import io.agentjournal.refusal.Refusal.EntryNotFound;
import io.agentjournal.refusal.Refusal.SessionDeleting;
import io.agentjournal.refusal.Refusal.SubmissionNotFound;
import io.agentjournal.submission.SubmissionRows;
import io.agentjournal.transcript.AppendedEntries;
import io.agentjournal.transcript.LockedSession;
import io.agentjournal.transcript.NewEntries;
import io.agentjournal.transcript.NewEntry;
import io.agentjournal.transcript.SessionRows;
import io.agentjournal.transcript.TranscriptStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a turn does to the transcript of its session, inside a caller's transaction. Stateless and
 * thread-safe.
 */
final class TurnTranscriptStore {
  private final SubmissionRows submissions;
  private final SessionRows sessions;
  private final TranscriptStore transcript;

  TurnTranscriptStore(
      SubmissionRows submissions, SessionRows sessions, TranscriptStore transcript) {
    this.submissions = submissions;
    this.sessions = sessions;
    this.transcript = transcript;
  }

  /**
   * What became of a turn's entries.
   *
   * @param session as it is after them
   * @param lastId the last of the entries, else the session's leaf
   */
  record Appended(LockedSession session, @Nullable String lastId) {}

  /**
   * Locks the submission's session, before anything else is locked.
   *
   * @throws SubmissionNotFound there is no such submission
   * @throws SessionDeleting the session is being deleted
   */
  LockedSession lock(Connection connection, SubmissionId submission) throws SQLException {
    return sessions.lock(connection, submissions.sessionOf(connection, submission));
  }

  /** Whether the entries, of which there may be none, are stored with equal content. */
  boolean hasAll(Connection connection, LockedSession session, NewEntries entries)
      throws SQLException {
    return transcript.hasAll(connection, session.key(), entries);
  }

  Appended append(Connection connection, LockedSession session, NewEntries entries)
      throws SQLException {
    AppendedEntries appended = transcript.append(connection, session, entries);
    List<NewEntry> added = entries.entries();
    return new Appended(
        appended.session(),
        added.isEmpty() ? appended.leafId() : added.get(added.size() - 1).entryId());
  }

  /**
   * The leaf that a caller names, as it is stored.
   *
   * @param asked null: not said; empty: before the first entry
   * @throws EntryNotFound the session has no such entry
   */
  @Nullable String leaf(
      Connection connection,
      LockedSession session,
      @Nullable String asked,
      @Nullable String unlessAsked)
      throws SQLException {
    if (asked == null) {
      return unlessAsked;
    }
    String leafId = LeafIds.stored(asked);
    if (leafId != null && !transcript.contains(connection, session.key(), leafId)) {
      throw new EntryNotFound(leafId);
    }
    return leafId;
  }
}

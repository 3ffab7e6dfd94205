package io.agentjournal.session;

import io.agentjournal.key.SessionKey;
import io.agentjournal.refusal.Refusal.EntryNotFound;
import io.agentjournal.refusal.Refusal.SessionNotFound;
import io.agentjournal.transcript.Entry;
import io.agentjournal.transcript.EntryReadRows;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Finds out which part of which path is to be read, inside a caller's snapshot. */
final class PathStore {
  private final SessionStore sessions;
  private final EntryReadRows entries;

  PathStore(SessionStore sessions, EntryReadRows entries) {
    this.sessions = sessions;
    this.entries = entries;
  }

  /**
   * What is asked for.
   *
   * @param leafId null: the session's leaf
   * @param last the last so many entries; null: all
   * @param afterEntryId only what is below it; null: all
   */
  record PathWish(
      SessionKey session,
      @Nullable String leafId,
      @Nullable Integer last,
      @Nullable String afterEntryId) {}

  /**
   * What is to be read.
   *
   * @param end null: nothing, the session has no entry
   */
  record PathPart(@Nullable Entry end, long fromDepth) {}

  /**
   * Judges the wish.
   *
   * @throws SessionNotFound there is no such session
   * @throws EntryNotFound the tree has no such leaf, or the path does not lead through the entry
   */
  PathPart part(Connection connection, PathWish wish) throws SQLException {
    Session session = sessions.get(connection, wish.session());
    String leafId = wish.leafId() == null ? session.leafId() : wish.leafId();
    if (leafId == null) {
      if (wish.afterEntryId() != null) {
        throw new EntryNotFound(wish.afterEntryId());
      }
      return new PathPart(null, 0);
    }
    Entry end = require(connection, wish.session(), leafId);
    long fromDepth = wish.last() == null ? 0 : Math.max(0, end.depth() - wish.last() + 1);
    if (wish.afterEntryId() != null) {
      Entry after = require(connection, wish.session(), wish.afterEntryId());
      String onPath = entries.ancestor(connection, wish.session(), leafId, after.depth());
      if (!after.entryId().equals(onPath)) {
        throw new EntryNotFound(after.entryId());
      }
      fromDepth = Math.max(fromDepth, after.depth() + 1);
    }
    return new PathPart(end, fromDepth);
  }

  /** The number after which a listing goes on. */
  long numberOf(Connection connection, SessionKey session, @Nullable String afterEntryId)
      throws SQLException {
    sessions.get(connection, session);
    return afterEntryId == null ? -1 : require(connection, session, afterEntryId).entryNumber();
  }

  private Entry require(Connection connection, SessionKey session, String entryId)
      throws SQLException {
    Entry entry = entries.find(connection, session, entryId);
    if (entry == null) {
      throw new EntryNotFound(entryId);
    }
    return entry;
  }
}

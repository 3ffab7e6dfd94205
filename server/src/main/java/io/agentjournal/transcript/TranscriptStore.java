package io.agentjournal.transcript;

import io.agentjournal.key.SessionKey;
import io.agentjournal.refusal.Refusal.EntryConflict;
import io.agentjournal.refusal.Refusal.LeafMoved;
import io.agentjournal.refusal.Refusal.ParentNotFound;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Appends to a session's tree inside a caller's transaction, which has locked the session:
 *
 * <ol>
 *   <li>all ids stored with equal content: a repeat, whatever the leaf is by now; some of them
 *       stored, or other content: a conflict;
 *   <li>the expected leaf must be the leaf;
 *   <li>every parent must exist, in the tree or earlier in the request;
 *   <li>the entries are stored, and the leaf moves to the last of them if the first hangs on the
 *       leaf.
 * </ol>
 *
 * Stateless and thread-safe.
 */
public final class TranscriptStore {
  private final SessionRows sessions;
  private final EntryRows entries = new EntryRows();

  public TranscriptStore(SessionRows sessions) {
    this.sessions = sessions;
  }

  /**
   * Without entries only the expected leaf is checked.
   *
   * @throws EntryConflict something else is stored under one of the ids, or only a part of the
   *     entries is stored
   * @throws LeafMoved the leaf is not the expected one
   * @throws ParentNotFound a parent is not in the tree
   */
  public AppendedEntries append(Connection connection, LockedSession session, NewEntries added)
      throws SQLException {
    if (isStored(connection, session.key(), added)) {
      return new AppendedEntries(false, session, session.leafId());
    }
    requireLeaf(session, added.expectedLeafId());
    if (added.isEmpty()) {
      return new AppendedEntries(false, session, session.leafId());
    }
    List<PlacedEntry> placed = place(connection, session, added);
    entries.insert(
        connection,
        session.key(),
        session.entryCount(),
        placed,
        added.submissionId(),
        added.turnId());
    boolean growsLeaf = Objects.equals(placed.get(0).parentId(), session.leafId());
    String leafId = growsLeaf ? placed.get(placed.size() - 1).place().entryId() : session.leafId();
    LockedSession after =
        sessions.advance(connection, session, leafId, placed.size(), added.sizeBytes());
    return new AppendedEntries(true, after, session.leafId());
  }

  /** Whether the tree has the entry. */
  public boolean contains(Connection connection, SessionKey session, String entryId)
      throws SQLException {
    return entries.findPlace(connection, session, entryId) != null;
  }

  /**
   * Whether the tree has all of the entries, of which there is at least one, with equal content.
   *
   * @throws EntryConflict something else is stored under one of the ids, or only a part of the
   *     entries is stored
   */
  private boolean isStored(Connection connection, SessionKey session, NewEntries added)
      throws SQLException {
    if (added.isEmpty()) {
      return false;
    }
    Map<String, StoredEntry> stored = entries.findStored(connection, session, added.entries());
    if (stored.isEmpty()) {
      return false;
    }
    String other = firstOther(stored, added);
    if (other == null) {
      return true;
    }
    throw new EntryConflict(stored.containsKey(other) ? other : stored.keySet().iterator().next());
  }

  /**
   * Passes entries of which the tree has none, whatever their content.
   *
   * @throws EntryConflict something is stored under one of the ids
   */
  public void requireUnknown(Connection connection, SessionKey session, NewEntries added)
      throws SQLException {
    Map<String, StoredEntry> stored = entries.findStored(connection, session, added.entries());
    for (NewEntry entry : added.entries()) {
      if (stored.containsKey(entry.entryId())) {
        throw new EntryConflict(entry.entryId());
      }
    }
  }

  /** Whether the tree has all of the entries, with equal content. Of no entries it is true. */
  public boolean hasAll(Connection connection, SessionKey session, NewEntries added)
      throws SQLException {
    return added.isEmpty()
        || firstOther(entries.findStored(connection, session, added.entries()), added) == null;
  }

  /**
   * The first of the entries that is not stored, or with other content; null: all are stored so.
   */
  private static @Nullable String firstOther(Map<String, StoredEntry> stored, NewEntries added) {
    String previousId = null;
    for (NewEntry entry : added.entries()) {
      StoredEntry before = stored.get(entry.entryId());
      if (before == null || !before.isRepeatedBy(entry, previousId, added.turnId())) {
        return entry.entryId();
      }
      previousId = entry.entryId();
    }
    return null;
  }

  private static void requireLeaf(LockedSession session, @Nullable String expectedLeafId) {
    String leafId = session.leafId() == null ? "" : session.leafId();
    if (expectedLeafId != null && !expectedLeafId.equals(leafId)) {
      throw new LeafMoved(session.key().key(), expectedLeafId, leafId);
    }
  }

  private List<PlacedEntry> place(Connection connection, LockedSession session, NewEntries added)
      throws SQLException {
    Map<String, Place> known = new HashMap<>();
    List<PlacedEntry> placed = new ArrayList<>();
    String parentId = session.leafId();
    for (NewEntry entry : added.entries()) {
      if (entry.parentId() != null) {
        parentId = entry.parentId().isEmpty() ? null : entry.parentId();
      }
      Place place = Place.root(entry.entryId());
      if (parentId != null) {
        Place parent = require(connection, session.key(), known, parentId);
        Place jump = require(connection, session.key(), known, parent.jumpId());
        place = Place.below(parent, jump, entry.entryId());
      }
      known.put(entry.entryId(), place);
      placed.add(new PlacedEntry(entry, parentId, place));
      parentId = entry.entryId();
    }
    return placed;
  }

  private Place require(
      Connection connection, SessionKey session, Map<String, Place> known, String entryId)
      throws SQLException {
    Place place = known.get(entryId);
    if (place == null) {
      place = entries.findPlace(connection, session, entryId);
      if (place == null) {
        throw new ParentNotFound(entryId);
      }
      known.put(entryId, place);
    }
    return place;
  }
}

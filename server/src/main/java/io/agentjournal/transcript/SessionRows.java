package io.agentjournal.transcript;

import io.agentjournal.key.SessionKey;
import io.agentjournal.refusal.Refusal.SessionDeleting;
import io.agentjournal.refusal.Refusal.SessionNotFound;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The row that puts a session's submissions and entries in order. A transaction that locks it does
 * so before it locks anything else. Stateless and thread-safe.
 */
public final class SessionRows {
  private static final String CREATE =
      """
      INSERT INTO sessions (namespace, session_key)
      VALUES (?, ?)
      ON CONFLICT (namespace, session_key) DO NOTHING
      """;

  private static final String LOCK =
      """
      SELECT leaf_id, entry_count, deleting_since IS NOT NULL
        FROM sessions
       WHERE namespace = ? AND session_key = ?
         FOR UPDATE
      """;

  private static final String TRY_LOCK =
      """
      SELECT 1
        FROM sessions
       WHERE namespace = ? AND session_key = ?
         FOR UPDATE SKIP LOCKED
      """;

  private static final String ADVANCE =
      """
      UPDATE sessions
         SET leaf_id = ?, entry_count = ?, size_bytes = size_bytes + ?, updated_at = now()
       WHERE namespace = ? AND session_key = ?
      """;

  private static final String TAKE_SEQUENCE =
      """
      UPDATE sessions
         SET next_sequence = next_sequence + 1, updated_at = now()
       WHERE namespace = ? AND session_key = ?
      RETURNING next_sequence - 1
      """;

  /**
   * Locks a session that is there.
   *
   * @throws SessionNotFound it is not, or not any more
   * @throws SessionDeleting it is being deleted
   */
  public LockedSession lock(Connection connection, SessionKey key) throws SQLException {
    LockedSession session = lockIfPresent(connection, key);
    if (session == null) {
      throw new SessionNotFound(key.key());
    }
    return requireNotDeleting(session);
  }

  /**
   * As {@link #lock}, and creates the session if it is not there.
   *
   * @throws SessionDeleting it is being deleted
   */
  public LockedSession lockOrCreate(Connection connection, SessionKey key) throws SQLException {
    LockedSession session = lockIfPresent(connection, key);
    while (session == null) {
      // A deletion that ends between the two statements leaves nothing to lock: so again.
      execute(connection, CREATE, key);
      session = lockIfPresent(connection, key);
    }
    return requireNotDeleting(session);
  }

  /** As {@link #lock}, in whatever state the session is; null: it is not there. */
  public @Nullable LockedSession lockIfPresent(Connection connection, SessionKey key)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
      statement.setString(1, key.namespace().name());
      statement.setString(2, key.key());
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? new LockedSession(key, row.getString(1), row.getLong(2), row.getBoolean(3))
            : null;
      }
    }
  }

  /** As {@link #lock}, without waiting; false: somebody else has it, or it is not there. */
  public boolean tryLock(Connection connection, SessionKey key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(TRY_LOCK)) {
      statement.setString(1, key.namespace().name());
      statement.setString(2, key.key());
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  /** The place in the session's order that the next admission has. The session is locked. */
  public long takeSequence(Connection connection, LockedSession session) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(TAKE_SEQUENCE)) {
      statement.setString(1, session.key().namespace().name());
      statement.setString(2, session.key().key());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  /** Moves the leaf to an entry of the tree; null: before the first one. The session is locked. */
  public void setLeaf(Connection connection, LockedSession session, @Nullable String leafId)
      throws SQLException {
    advance(connection, session, leafId, 0, 0);
  }

  /** Moves the leaf and counts new entries. */
  LockedSession advance(
      Connection connection,
      LockedSession session,
      @Nullable String leafId,
      int addedEntries,
      long addedBytes)
      throws SQLException {
    SessionKey key = session.key();
    long entryCount = session.entryCount() + addedEntries;
    try (PreparedStatement statement = connection.prepareStatement(ADVANCE)) {
      statement.setString(1, leafId);
      statement.setLong(2, entryCount);
      statement.setLong(3, addedBytes);
      statement.setString(4, key.namespace().name());
      statement.setString(5, key.key());
      statement.executeUpdate();
    }
    return new LockedSession(key, leafId, entryCount, session.isDeleting());
  }

  private static LockedSession requireNotDeleting(LockedSession session) {
    if (session.isDeleting()) {
      throw new SessionDeleting(session.key().key());
    }
    return session;
  }

  private static void execute(Connection connection, String statementText, SessionKey key)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setString(1, key.namespace().name());
      statement.setString(2, key.key());
      statement.executeUpdate();
    }
  }
}

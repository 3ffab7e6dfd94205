package io.agentjournal.segment;

import io.agentjournal.database.Transactions;
import io.agentjournal.key.StreamKey;
import io.agentjournal.refusal.Refusal.StreamInUse;
import io.agentjournal.refusal.Refusal.StreamNotFound;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Deletes streams: first the tombstone, which ends all reads and writes, then the segments in
 * slices, so that no transaction is long. What a crash leaves between the two, {@link #unfinished}
 * finds. Thread-safe; every method blocks.
 */
final class DeletionStore {
  /** One that other servers than the one that began it may finish. */
  record Unfinished(int bucket, long streamId) {}

  /** As writes by an attempt do. */
  private static final String LOCK_SUBMISSION =
      """
      SELECT status
        FROM submissions
       WHERE namespace = ? AND submission_id = ?
         FOR SHARE
      """;

  private static final String LOCK_SLOT =
      """
      SELECT stream_key
        FROM turn_journals
       WHERE namespace = ? AND submission_id = ?
         FOR SHARE
      """;

  private static final String TOMBSTONE =
      """
      UPDATE streams
         SET state = 'DELETED', ended_at = coalesce(ended_at, now())
       WHERE bucket = ? AND stream_id = ?
      """;

  private static final String BEGIN =
      "INSERT INTO stream_deletions (bucket, stream_id) VALUES (?, ?)";

  static final String SLICE =
      """
      DELETE FROM extents
       WHERE bucket = ? AND stream_id = ?
         AND first_index IN (SELECT first_index
                               FROM extents
                              WHERE bucket = ? AND stream_id = ?
                              ORDER BY first_index
                              LIMIT 1000)
      """;

  /** Each row may hold a thousand times what one of extents does. */
  static final String COMPACT_SLICE =
      """
      DELETE FROM compact_extents
       WHERE bucket = ? AND stream_id = ?
         AND first_index IN (SELECT first_index
                               FROM compact_extents
                              WHERE bucket = ? AND stream_id = ?
                              ORDER BY first_index
                              LIMIT 100)
      """;

  private static final String FINISH =
      "DELETE FROM stream_deletions WHERE bucket = ? AND stream_id = ?";

  private static final String UNFINISHED =
      """
      SELECT bucket, stream_id
        FROM stream_deletions
       WHERE deleted_at < now() - interval '60 s'
       ORDER BY deleted_at
       LIMIT 10
      """;

  private final Transactions transactions;
  private final StreamHeads heads;

  DeletionStore(Transactions transactions, StreamHeads heads) {
    this.transactions = transactions;
    this.heads = heads;
  }

  /**
   * Marks the stream as deleted.
   *
   * @param head after the call
   * @param applied false: it was already
   */
  record Marked(Head head, boolean applied) {}

  /**
   * @throws StreamInUse the slot of a submission that is not settled names it
   */
  Marked mark(StreamKey key) {
    return transactions.run(
        "delete stream",
        connection -> {
          Head found = heads.find(connection, key);
          if (found == null) {
            throw new StreamNotFound(key.key());
          }
          String submissionId = found.submissionId();
          if (submissionId != null) {
            requireUnused(connection, key, submissionId);
          }
          Head locked = heads.lock(connection, key);
          if (locked == null) {
            throw new StreamNotFound(key.key());
          }
          if (locked.state() == StreamState.DELETED) {
            return new Marked(locked, false);
          }
          update(connection, TOMBSTONE, key.bucket(), locked.streamId());
          update(connection, BEGIN, key.bucket(), locked.streamId());
          heads.notice(connection, key, locked);
          return new Marked(locked.deleted(), true);
        });
  }

  /** Submission before slot before stream, as everywhere. */
  private static void requireUnused(Connection connection, StreamKey key, String submissionId)
      throws SQLException {
    String status = lock(connection, LOCK_SUBMISSION, key, submissionId);
    if (status.isEmpty() || status.equals("SETTLED")) {
      return;
    }
    if (lock(connection, LOCK_SLOT, key, submissionId).equals(key.key())) {
      throw new StreamInUse(key.key(), submissionId);
    }
  }

  /** The only column of the row; empty without a row. */
  private static String lock(
      Connection connection, String statementText, StreamKey key, String submissionId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setString(1, key.namespace().name());
      statement.setString(2, submissionId);
      try (ResultSet row = statement.executeQuery()) {
        String value = row.next() ? row.getString(1) : null;
        return value == null ? "" : value;
      }
    }
  }

  /** Removes the segments of a stream that is marked, one transaction after the other. */
  void removeSegments(int bucket, long streamId) {
    removeAll(SLICE, bucket, streamId);
    removeAll(COMPACT_SLICE, bucket, streamId);
    transactions.run("finish deletion", connection -> update(connection, FINISH, bucket, streamId));
  }

  private void removeAll(String slice, int bucket, long streamId) {
    boolean more = true;
    while (more) {
      more =
          transactions.run(
              "remove segments", connection -> slice(connection, slice, bucket, streamId) > 0);
    }
  }

  private static int slice(Connection connection, String statementText, int bucket, long streamId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setInt(1, bucket);
      statement.setLong(2, streamId);
      statement.setInt(3, bucket);
      statement.setLong(4, streamId);
      return statement.executeUpdate();
    }
  }

  /** Deletions that somebody should have finished by now. */
  List<Unfinished> unfinished() {
    return transactions.readOnly(
        "find unfinished deletions",
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(UNFINISHED);
              ResultSet row = statement.executeQuery()) {
            List<Unfinished> unfinished = new ArrayList<>();
            while (row.next()) {
              unfinished.add(new Unfinished(row.getInt(1), row.getLong(2)));
            }
            return unfinished;
          }
        });
  }

  private static int update(Connection connection, String statementText, int bucket, long streamId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(statementText)) {
      statement.setInt(1, bucket);
      statement.setLong(2, streamId);
      return statement.executeUpdate();
    }
  }
}

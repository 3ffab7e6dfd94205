package io.agentjournal.segment;

import io.agentjournal.key.StreamKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The heads of many streams at once, inside a flush. Each statement comes in two forms: over all
 * buckets, and within one ({@code bucket = ?} on every table), which is what a distributed
 * PostgreSQL carries out on a single node.
 */
final class FlushRows {
  private static final String RESOLVE =
      """
      SELECT wanted.position, streams.stream_id
        FROM unnest(?::int[], ?::text[], ?::text[])
             WITH ORDINALITY AS wanted (bucket, namespace, stream_key, position)
        JOIN streams ON streams.bucket = wanted.bucket
                    AND streams.namespace = wanted.namespace
                    AND streams.stream_key = wanted.stream_key
      """;

  private static final String RESOLVE_IN_BUCKET = RESOLVE + " WHERE streams.bucket = ?";

  private static final String LOCK =
      "SELECT "
          + Head.COLUMNS
          + """
             FROM streams
            WHERE stream_id = ANY (?)
            ORDER BY stream_id
              FOR NO KEY UPDATE SKIP LOCKED
          """;

  private static final String LOCK_IN_BUCKET =
      "SELECT "
          + Head.COLUMNS
          + """
             FROM streams
            WHERE stream_id = ANY (?) AND bucket = ?
            ORDER BY stream_id
              FOR NO KEY UPDATE SKIP LOCKED
          """;

  private static final String ADVANCE =
      """
      UPDATE streams
         SET next_index = advanced.next_index, size_bytes = advanced.size_bytes, last_segment_at = now()
        FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) AS advanced (stream_id, next_index, size_bytes)
       WHERE streams.stream_id = advanced.stream_id
      """;

  private static final String ADVANCE_IN_BUCKET = ADVANCE + " AND streams.bucket = ?";

  /** What happens once in a stream's life, or nearly: its end, a new epoch. */
  private static final String CHANGE =
      """
      UPDATE streams
         SET state = ?, writer_epoch = ?, finish_reason = ?, failure_code = ?, failure_message = ?,
             ended_at = CASE WHEN ? THEN now() ELSE ended_at END
       WHERE bucket = ? AND stream_id = ?
      """;

  private static final String CREATE =
      """
      INSERT INTO streams (bucket, namespace, stream_key, content_type, next_index, size_bytes, state, writer_epoch,
                           finish_reason, failure_code, failure_message, last_segment_at, ended_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
              CASE WHEN ? THEN now() END, CASE WHEN ? THEN now() END)
      ON CONFLICT (bucket, namespace, stream_key) DO NOTHING
      RETURNING stream_id
      """;

  private static final String NOTICE =
      "INSERT INTO stream_notices (bucket, stream_id) VALUES (?, ?)";

  private final OptionalInt bucket;

  /** Over all buckets when it is empty. */
  FlushRows(OptionalInt bucket) {
    this.bucket = bucket;
  }

  /** The ids of those keys that name a stream. Locks nothing: ids never change. */
  Map<StreamKey, Long> resolve(Connection connection, List<StreamKey> keys) throws SQLException {
    String text = bucket.isPresent() ? RESOLVE_IN_BUCKET : RESOLVE;
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      statement.setObject(1, keys.stream().mapToInt(StreamKey::bucket).toArray());
      statement.setObject(
          2, keys.stream().map(key -> key.namespace().name()).toArray(String[]::new));
      statement.setObject(3, keys.stream().map(StreamKey::key).toArray(String[]::new));
      bindBucket(statement, 4);
      try (ResultSet row = statement.executeQuery()) {
        Map<StreamKey, Long> ids = new HashMap<>();
        while (row.next()) {
          ids.put(keys.get((int) row.getLong(1) - 1), row.getLong(2));
        }
        return ids;
      }
    }
  }

  /**
   * The heads that nobody else has locked, locked. Those missing are tried again in the next flush.
   */
  Map<Long, Head> lock(Connection connection, Collection<Long> streamIds) throws SQLException {
    String text = bucket.isPresent() ? LOCK_IN_BUCKET : LOCK;
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      statement.setObject(1, streamIds.stream().mapToLong(Long::longValue).toArray());
      bindBucket(statement, 2);
      try (ResultSet row = statement.executeQuery()) {
        Map<Long, Head> heads = new HashMap<>();
        while (row.next()) {
          Head head = Head.from(row);
          heads.put(head.streamId(), head);
        }
        return heads;
      }
    }
  }

  void advance(Connection connection, List<Head> heads) throws SQLException {
    String text = bucket.isPresent() ? ADVANCE_IN_BUCKET : ADVANCE;
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      bind(statement, 1, heads);
      bindBucket(statement, 4);
      statement.executeUpdate();
    }
  }

  /** The ids, next indexes and sizes, as three arrays from the position on. */
  static void bind(PreparedStatement statement, int position, List<Head> advanced)
      throws SQLException {
    statement.setObject(position, advanced.stream().mapToLong(Head::streamId).toArray());
    statement.setObject(position + 1, advanced.stream().mapToLong(Head::nextIndex).toArray());
    statement.setObject(position + 2, advanced.stream().mapToLong(Head::sizeBytes).toArray());
  }

  /** Writes the head's state and epoch. */
  void change(Connection connection, StreamKey key, Head head, boolean ends) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(CHANGE)) {
      statement.setString(1, head.state().name());
      statement.setObject(2, head.writerEpoch());
      statement.setString(3, head.finishReason());
      statement.setString(4, head.failureCode());
      statement.setString(5, head.failureMessage());
      statement.setBoolean(6, ends);
      statement.setInt(7, key.bucket());
      statement.setLong(8, head.streamId());
      statement.executeUpdate();
    }
  }

  /**
   * Creates a stand-alone stream as the flush leaves it. Null: somebody else created it just now.
   */
  @Nullable Head create(Connection connection, StreamKey key, String contentType, Head head)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(CREATE)) {
      statement.setInt(1, key.bucket());
      statement.setString(2, key.namespace().name());
      statement.setString(3, key.key());
      statement.setString(4, contentType);
      statement.setLong(5, head.nextIndex());
      statement.setLong(6, head.sizeBytes());
      statement.setString(7, head.state().name());
      statement.setObject(8, head.writerEpoch());
      statement.setString(9, head.finishReason());
      statement.setString(10, head.failureCode());
      statement.setString(11, head.failureMessage());
      statement.setBoolean(12, head.nextIndex() > 0);
      statement.setBoolean(13, head.state() != StreamState.OPEN);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? head.withStreamId(row.getLong(1)) : null;
      }
    }
  }

  /** Tells every server's open calls that the writer they know of is not the stream's any more. */
  void notice(Connection connection, StreamKey key, Head head) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(NOTICE)) {
      statement.setInt(1, key.bucket());
      statement.setLong(2, head.streamId());
      statement.executeUpdate();
    }
  }

  private void bindBucket(PreparedStatement statement, int position) throws SQLException {
    if (bucket.isPresent()) {
      statement.setInt(position, bucket.getAsInt());
    }
  }
}

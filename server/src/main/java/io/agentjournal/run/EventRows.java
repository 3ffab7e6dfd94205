package io.agentjournal.run;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.agentjournal.key.RunId;
import io.agentjournal.payload.Payload;
import io.agentjournal.payload.PayloadCase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the events of a run in their order: (seq, position). Stateless and thread-safe. */
final class EventRows {
  private static final int MAX_PAGE_EVENTS = 1_000;
  private static final int MAX_PAGE_BYTES = 1 << 20;

  /** Of a payload: what one message carries at most. */
  private static final int MAX_PART_BYTES = Payload.MAX_INLINE_BYTES;

  private static final int ORDER_FETCH_SIZE = 1_000;

  /**
   * As many events as the page has bytes for, at least one. Of a payload that is larger than a part
   * the first part: there the page ends.
   */
  static final String PAGE =
      """
      SELECT seq, kind, position, version, coalesce(created_at, written_at), payload_case, size,
             CASE WHEN size <= ? THEN payload ELSE substring(payload FROM 1 FOR ?) END
        FROM (SELECT seq, kind, position, version, created_at, written_at, payload_case, payload,
                     octet_length(payload) AS size,
                     sum(octet_length(payload)) OVER (ORDER BY seq, position) AS total
                FROM run_events
               WHERE namespace = ? AND run_id = ? AND seq >= ? AND seq <= ?
                 AND (seq, position) > (?, ?) AND kind = ANY (?)
               ORDER BY seq, position
               LIMIT ?) AS page
       WHERE total - size < ?
       ORDER BY seq, position
      """;

  static final String PART =
      """
      SELECT substring(payload FROM ? FOR ?)
        FROM run_events
       WHERE namespace = ? AND run_id = ? AND seq = ? AND kind = ? AND version = ?
      """;

  static final String FIND =
      """
      SELECT seq, kind, position, version, coalesce(created_at, written_at), payload_case,
             octet_length(payload),
             CASE WHEN octet_length(payload) <= ? THEN payload
                  ELSE substring(payload FROM 1 FOR ?) END
        FROM run_events
       WHERE namespace = ? AND run_id = ? AND seq = ? AND kind = ?
      """;

  static final String ORDER =
      """
      SELECT seq, kind
        FROM run_events
       WHERE namespace = ? AND run_id = ?
       ORDER BY seq, position
      """;

  static final String LAST_ITERATION =
      """
      SELECT max(iteration_index)
        FROM run_events
       WHERE namespace = ? AND run_id = ? AND iteration_index IS NOT NULL
      """;

  /** The events after a place. */
  List<EventPart> page(
      Connection connection, RunId run, EventFilter filter, long afterSeq, long afterPosition)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(PAGE)) {
      bindPage(statement, run, filter, afterSeq, afterPosition);
      List<EventPart> page = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          page.add(firstPart(row).cutAtCodePoint());
        }
      }
      return page;
    }
  }

  private static void bindPage(
      PreparedStatement statement, RunId run, EventFilter filter, long afterSeq, long afterPosition)
      throws SQLException {
    statement.setInt(1, MAX_PART_BYTES);
    statement.setInt(2, MAX_PART_BYTES);
    statement.setString(3, run.namespace().name());
    statement.setString(4, run.id());
    statement.setLong(5, afterSeq);
    statement.setLong(6, filter.lastSeq());
    statement.setLong(7, afterSeq);
    statement.setLong(8, afterPosition);
    statement.setObject(9, filter.kinds().stream().map(EventKind::word).toArray(String[]::new));
    statement.setInt(10, MAX_PAGE_EVENTS);
    statement.setInt(11, MAX_PAGE_BYTES);
  }

  /** The part after this one; null: the payload that it was cut from is not stored any more. */
  @Nullable EventPart partAfter(Connection connection, RunId run, EventPart before)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(PART)) {
      statement.setInt(1, Math.toIntExact(before.end() + 1));
      statement.setInt(2, MAX_PART_BYTES);
      bindKey(statement, 3, run, before.key());
      statement.setLong(7, before.version());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? before.with(bytes(row, 1), before.end()).cutAtCodePoint() : null;
      }
    }
  }

  /** The event, of a large payload the first part; null: it is not recorded. */
  @Nullable EventPart find(Connection connection, RunId run, EventKey key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FIND)) {
      statement.setInt(1, MAX_PART_BYTES);
      statement.setInt(2, MAX_PART_BYTES);
      bindKey(statement, 3, run, key);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? firstPart(row).cutAtCodePoint() : null;
      }
    }
  }

  /** Tells the keys of all events, as they stand at one moment; fetched in batches. */
  void inOrder(Connection connection, RunId run, Consumer<EventKey> told) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ORDER)) {
      statement.setString(1, run.namespace().name());
      statement.setString(2, run.id());
      statement.setFetchSize(ORDER_FETCH_SIZE);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          told.accept(key(row));
        }
      }
    }
  }

  /** Empty: there is none. */
  OptionalLong lastIteration(Connection connection, RunId run) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LAST_ITERATION)) {
      statement.setString(1, run.namespace().name());
      statement.setString(2, run.id());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Long index = row.getObject(1, Long.class);
        return index == null ? OptionalLong.empty() : OptionalLong.of(index);
      }
    }
  }

  private static void bindKey(PreparedStatement statement, int first, RunId run, EventKey key)
      throws SQLException {
    statement.setString(first, run.namespace().name());
    statement.setString(first + 1, run.id());
    statement.setLong(first + 2, key.seq());
    statement.setString(first + 3, key.kind().word());
  }

  private static EventPart firstPart(ResultSet row) throws SQLException {
    return new EventPart(
        key(row),
        row.getLong(3),
        row.getLong(4),
        row.getObject(5, OffsetDateTime.class).toInstant(),
        PayloadCase.ofCode(row.getInt(6)),
        bytes(row, 8),
        0,
        row.getLong(7));
  }

  private static EventKey key(ResultSet row) throws SQLException {
    return new EventKey(row.getLong(1), EventKind.ofWord(row.getString(2)));
  }

  private static ByteString bytes(ResultSet row, int column) throws SQLException {
    return UnsafeByteOperations.unsafeWrap(row.getBytes(column));
  }
}
